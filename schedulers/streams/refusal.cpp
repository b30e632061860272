#include "schedulers/streams/refusal.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "schedulers/bounds/least_times.hpp"
#include "schedulers/bounds/period_bounds.hpp"
#include "schedulers/streams/stream_cuts.hpp"
#include "schedulers/streams/time_text.hpp"

namespace takt::schedulers {

namespace {

/// Cuts are searched as if processors had this many times their free time.
constexpr Time::rep stretch = 16;
/// Cuts of larger graphs take too long for an explanation.
constexpr std::size_t most_cut_tasks = 500;

class Refusal {
 public:
  Refusal(const Stream& stream, std::uint32_t frames, const CyclicTimetable& timetable)
      : rate_(stream.placed_rate()),
        graph_(stream.graph),
        frames_(frames),
        timetable_(timetable),
        machine_(timetable.machine()),
        is_measured_(stream.is_measured),
        schedule_(timetable.schedule()),
        has_state_(
            std::ranges::any_of(graph_.tasks(), [&](TaskId task) { return !graph_.task(task).stateless; })) {}

  [[nodiscard]] std::string text() const {
    std::string reason = long_task();
    if (reason.empty()) reason = bound();
    if (reason.empty()) reason = free_time();
    if (reason.empty()) reason = task_without_processor();
    if (reason.empty()) reason = cut();
    return reason;
  }

 private:
  [[nodiscard]] double cycle() const { return static_cast<double>(timetable_.cycle().count()); }
  [[nodiscard]] Time free_on(ProcessorId p) const { return timetable_.free(p); }
  template <class Ticks>
  [[nodiscard]] std::string text_of(Ticks time) const {
    return time_text(time, is_measured_);
  }

  [[nodiscard]] std::string long_task() const {
    if (!has_state_) return {};
    const LeastTimes least(graph_, machine_);
    for (TaskId task : graph_.tasks())
      if (const Time time = least.of(task); !rate_.is_held_by({time, 1}))
        return fmt::format(
            "task '{}' takes {}, more than the {} that rate and margin leave: make it {:.3g} times faster, "
            "or "
            "split it",
            graph_.task(task).name, text_of(time), text_of(rate_.period),
            static_cast<double>(time.count()) / rate_.period);
    return {};
  }

  /// The rate is infeasible even alone on the machine.
  [[nodiscard]] std::string bound() const {
    const PeriodBound bound = PeriodBounds(graph_, machine_).best();
    if (rate_.is_held_by(bound.period)) return {};
    return fmt::format(
        "even alone on this machine its period is at least {}, {:.3g} times the required one ({})",
        is_measured_ ? text_of(bound.period.ticks()) : to_decimal(bound.period),
        bound.period.ticks() / rate_.period, explain(bound.rule));
  }

  [[nodiscard]] std::string free_time() const {
    double free = 0, needed = std::numeric_limits<double>::max();
    for (ProcessorId p : machine_.processors()) {
      const double speed = machine_.platform().speeds[p.index()];
      const Time work = sequential_time(graph_, machine_, p);
      free += static_cast<double>(free_on(p).count()) * speed;
      needed = std::min(needed, static_cast<double>(work.count()) * frames_ * speed);
    }
    if (needed <= free) return {};
    return fmt::format("it needs {:.3g} processors, but {:.3g} are free{}", needed / cycle(), free / cycle(),
                       users(machine_.processors()));
  }

  [[nodiscard]] std::string task_without_processor() const {
    for (TaskId task : graph_.tasks()) {
      const std::int64_t times = has_state_ ? frames_ : 1;
      std::optional<ProcessorId> best;
      Time::rep most = std::numeric_limits<Time::rep>::min();
      for (ProcessorId p : machine_.processors())
        if (const Time::rep rest = (free_on(p) - machine_.duration(graph_, task, p) * times).count();
            rest > most) {
          most = rest;
          best = p;
        }
      if (!best || most >= 0) continue;
      return fmt::format(
          "task '{}' needs {:.3g} % of a processor, but the most suitable one, {}, has {:.3g} % free{}",
          graph_.task(task).name,
          100 * static_cast<double>((machine_.duration(graph_, task, *best) * times).count()) / cycle(),
          best->index(), 100 * static_cast<double>(free_on(*best).count()) / cycle(),
          users(std::vector<ProcessorId>{*best}));
    }
    return {};
  }

  [[nodiscard]] std::string cut() const {
    std::vector<ProcessorId> chain;
    for (ProcessorId p : machine_.processors())
      if (free_on(p) > Time{0}) chain.push_back(p);
    double least = std::numeric_limits<double>::infinity();
    if (graph_.task_count() <= most_cut_tasks)
      for (std::size_t pieces = 1; pieces <= std::min(chain.size(), graph_.task_count()); ++pieces) {
        std::vector<ProcessorId> freest = chain;
        std::ranges::stable_sort(freest, std::greater{}, [&](ProcessorId p) { return free_on(p); });
        freest.resize(pieces);
        std::ranges::sort(freest);
        std::vector<Time> free;
        for (ProcessorId p : freest) free.push_back(free_on(p) / frames_ * stretch);
        for (const StreamCut& cut : cut_stream(graph_, machine_, freest, free))
          least = std::min(least, cut.share * static_cast<double>(stretch));
      }
    const std::string users_of_all = users(machine_.processors());
    if (least > 1 && least < std::numeric_limits<double>::infinity())
      return fmt::format(
          "in the best partition found, one piece with its messages takes {:.3g} times the free time of its "
          "processor{}",
          least, users_of_all);
    const auto [processor, longest] = longest_place();
    return fmt::format(
        "its pieces with their messages fit into the total free time, but not into the free intervals; the "
        "longest is {}, on processor {}, and its longest task takes {}{}",
        text_of(longest), processor.index(), text_of(graph_.largest_work()), users_of_all);
  }

  /// Returns the longest interval without an operation.
  [[nodiscard]] std::pair<ProcessorId, Time> longest_place() const {
    std::pair<ProcessorId, Time> best{ProcessorId(0), Time{-1}};
    for (ProcessorId p : machine_.processors()) {
      const std::vector<Operation>& operations = schedule_.processors[p.index()];
      Time longest = operations.empty()
                         ? timetable_.cycle()
                         : timetable_.cycle() - (operations.back().end - operations.front().start);
      for (std::size_t i = 0; i + 1 < operations.size(); ++i)
        longest = std::max(longest, operations[i + 1].start - operations[i].end);
      if (longest > best.second) best = {p, longest};
    }
    return best;
  }

  /// `; of the rest, 'a' has 0.5 and 'b' 0.25`: in processors, the largest first; empty on unused ones.
  template <class Processors>
  [[nodiscard]] std::string users(const Processors& processors) const {
    const TaskGraph all = timetable_.graph();
    std::map<std::string, Time> time;
    for (ProcessorId p : processors)
      for (const Operation& operation : schedule_.processors[p.index()]) {
        std::optional<TaskId> task;
        if (operation.kind == OperationKind::compute)
          task = operation.task();
        else if (const auto payload = schedule_.payload(operation.message()); !payload.empty())
          task = all.datum_task(payload.front());
        if (!task) continue;
        const std::string& name = all.task(*task).name;
        time[name.substr(0, name.find('#'))] += operation.end - operation.start;
      }
    if (time.empty()) return {};
    std::vector<std::pair<Time, std::string>> largest;
    for (const auto& [name, sum] : time) largest.emplace_back(sum, name);
    std::ranges::stable_sort(largest, std::greater{}, [](const auto& each) { return each.first; });
    std::vector<std::string> texts;
    for (const auto& [sum, name] : largest)
      texts.push_back(fmt::format("'{}' {:.3g}", name, static_cast<double>(sum.count()) / cycle()));
    return fmt::format("; of the rest (in processors): {}", fmt::join(texts, ", "));
  }

  RequiredRate rate_;
  const TaskGraph& graph_;
  std::uint32_t frames_;
  const CyclicTimetable& timetable_;
  const logp::Machine& machine_;
  bool is_measured_;
  Schedule schedule_;
  bool has_state_;
};

}  // namespace

std::string explain_refusal(const Stream& stream, std::uint32_t frames, const CyclicTimetable& timetable) {
  return Refusal(stream, frames, timetable).text();
}

}  // namespace takt::schedulers
