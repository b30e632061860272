#include "schedulers/plan/rate_objective.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include "schedulers/bounds/area_bound.hpp"
#include "schedulers/bounds/period_bounds.hpp"
#include "schedulers/fit.hpp"
#include "schedulers/latency/latency_search.hpp"
#include "schedulers/pipelining/pipelined_search.hpp"
#include "schedulers/plan/paced_latency.hpp"
#include "schedulers/plan/portfolio.hpp"
#include "schedulers/replication/copies.hpp"
#include "schedulers/search/processor_selections.hpp"
#include "schedulers/task_chains/frame_stages.hpp"

namespace takt::schedulers {

namespace {

constexpr std::size_t first_numbers = 16;
/// Tasks times timetables of one latency search.
constexpr std::uint64_t work_of_a_search = 1'000'000, most_timetables = 20'000, least_timetables = 20;

/// Selections of processors that are tried in all, with a quick check by the fastest scheduler first; and for
/// each number of processors.
constexpr std::size_t most_selections = 200, most_selections_of_many_tasks = 20, most_of_a_number = 32;
constexpr std::size_t slow_selection_tasks = 1'000;
/// Pipelined timetables tried on each number of processors; each takes as long as many others.
constexpr std::uint64_t most_pipelined = 200;

/// Keeps the best schedule that sustains the rate, the best of these with one frame per iteration, and the
/// fastest one of all.
class Chooser {
 public:
  /// Returns the latency of a schedule with these metrics.
  using Latency = std::function<Time(const Schedule&, const ScheduleMetrics&)>;

  Chooser(Objective objective, const RequiredRate& rate, const Workload& workload, Latency latency)
      : objective_(objective), rate_(rate), workload_(workload), latency_(std::move(latency)) {}

  void add(Schedule schedule) {
    ScheduleMetrics metrics = measure(schedule);
    if (!fastest_ || metrics.exact_period() < measure(*fastest_).exact_period()) fastest_ = schedule;
    if (!rate_.is_held_by(metrics.exact_period())) return;
    Judged judged{std::move(schedule), std::move(metrics), {}};
    if (objective_ == Objective::processors && workload_.class_count() > 1)
      judged.by_class = used_by_class(workload_, judged.schedule);
    if (judged.schedule.replicas == 1) keep(judged, of_one_frame_);
    if (best_ && !is_better(judged, *best_)) return;
    // With the source's frame interval it can only be longer.
    judged.metrics.latency = latency_(judged.schedule, judged.metrics);
    keep(judged, best_);
  }
  void add(RateSchedule chosen) {
    if (chosen.of_one_frame) add(*std::move(chosen.of_one_frame));
    add(std::move(chosen.schedule));
  }
  [[nodiscard]] bool is_held() const { return best_.has_value(); }
  [[nodiscard]] std::size_t processors_used() const { return best_->metrics.processors_used; }
  [[nodiscard]] RateSchedule take() && {
    if (!best_) return {.schedule = std::move(*fastest_), .is_held = false};
    RateSchedule chosen{.schedule = std::move(best_->schedule)};
    if (chosen.schedule.replicas > 1 && of_one_frame_)
      chosen.of_one_frame = std::move(of_one_frame_->schedule);
    return chosen;
  }

 private:
  struct Judged {
    Schedule schedule;
    ScheduleMetrics metrics;
    /// Of the fastest class first: of equal numbers of processors slower ones are better.
    std::vector<std::size_t> by_class;
  };

  void keep(const Judged& judged, std::optional<Judged>& best) const {
    if (!best || is_better(judged, *best)) best = judged;
  }
  [[nodiscard]] bool is_better(const Judged& a, const Judged& b) const {
    const auto key = [&](const Judged& judged) {
      const ScheduleMetrics& m = judged.metrics;
      const auto processors = static_cast<Time::rep>(m.processors_used), latency = m.latency.count();
      return objective_ == Objective::latency
                 ? std::tuple(latency, judged.by_class, processors, m.replicas, m.period())
                 : std::tuple(processors, judged.by_class, latency, m.replicas, m.period());
    };
    return key(a) < key(b);
  }

  Objective objective_;
  const RequiredRate& rate_;
  const Workload& workload_;
  Latency latency_;
  std::optional<Judged> best_, of_one_frame_;
  std::optional<Schedule> fastest_;
};

/// All candidates, on increasing numbers of processors.
class Candidates {
 public:
  Candidates(const RequiredRate& rate, const TaskGraph& graph, const logp::Machine& machine,
             const RateSchedulers& schedulers, const Options& options)
      : rate_(rate), options_(options), portfolio_(graph, machine, schedulers, options) {}
  /// On these processors only.
  Candidates(const RequiredRate& rate, const TaskGraph& graph, const logp::Machine& machine,
             const std::vector<ProcessorId>& processors, const RateSchedulers& schedulers,
             const Options& options)
      : rate_(rate), options_(options), portfolio_(graph, machine, processors, schedulers, options) {}

  /// Adds the candidates of `count` processors.
  void add(std::size_t count, Chooser& chooser) {
    for (const Schedule& schedule : portfolio_.schedules(count)) chooser.add(portfolio_.on_machine(schedule));
    for (const Schedule& schedule : portfolio_.copies(count)) chooser.add(portfolio_.on_machine(schedule));
    for (Schedule& schedule : portfolio_.in_groups(count)) chooser.add(std::move(schedule));
    if (const Schedule* const found = least_latency(count, 1)) chooser.add(portfolio_.on_machine(*found));
    if (options_.frames == FrameClass::pipelined && !portfolio_.graph().is_moldable())
      if (std::optional<Schedule> found = pipelined_within(
              portfolio_.graph(), portfolio_.part(count), rate_.time_of(1), portfolio_.schedules(count),
              std::min(most_pipelined, latency_effort(portfolio_.graph(), options_)), options_.seed)) {
        found->scheduler = "least_latency";
        chooser.add(portfolio_.on_machine(*found));
      }
    if (!portfolio_.can_take_turns()) return;
    for (std::size_t groups = 2; groups <= count; ++groups) {
      const std::size_t size = count / groups;
      if (size == count / (groups - 1) || size > portfolio_.largest_group(count)) continue;
      const Schedule* const found = least_latency(size, static_cast<std::uint32_t>(groups));
      if (found == nullptr) continue;
      Schedule copies = copies_on_groups(*found, size, static_cast<std::uint32_t>(groups), count);
      copies.scheduler = found->scheduler;
      chooser.add(portfolio_.on_machine(copies));
    }
  }

 private:
  /// Returns a schedule for one of `groups` alternating groups of `size` processors; null if none was found.
  const Schedule* least_latency(std::size_t size, std::uint32_t groups) {
    const auto [entry, is_new] = found_.try_emplace({groups, size});
    std::optional<Schedule>& found = entry->second;
    if (is_new) {
      std::vector<Schedule> starts = portfolio_.schedules(size);
      // A schedule for fewer processors is also one for more.
      if (entry != found_.begin())
        if (const auto& [key, fewer] = *std::prev(entry); key.first == groups && fewer)
          starts.push_back(*fewer);
      found = find_least_latency(portfolio_.graph(), portfolio_.part(size), rate_.time_of(groups), starts,
                                 latency_effort(portfolio_.graph(), options_), options_.seed);
    }
    return found ? &*found : nullptr;
  }

  const RequiredRate& rate_;
  const Options& options_;
  Portfolio portfolio_;
  /// By number and size of the groups.
  std::map<std::pair<std::uint32_t, std::size_t>, std::optional<Schedule>> found_;
};

/// With different processors or links the selection matters: searches `least` to `most` processors that
/// sustain the rate, the smallest number first, and adds their candidates to the chooser.
void try_selections(const RequiredRate& rate, const TaskGraph& graph, const logp::Machine& machine,
                    const RateSchedulers& schedulers, const Options& options, std::size_t least,
                    std::size_t most, Chooser& chooser) {
  const Workload workload(graph, machine);
  if (workload.is_uniform()) return;
  std::size_t left =
      graph.task_count() > slow_selection_tasks ? most_selections_of_many_tasks : most_selections;
  for (const std::size_t count : numbers_of_processors(machine)) {
    if (count < least || count > most) continue;
    bool is_held = false;
    for (const std::vector<ProcessorId>& processors : selections(workload, count, most_of_a_number)) {
      if (left == 0) return;
      if (!rate.is_held_by(period_bound_on(graph, machine, processors).period)) continue;
      --left;
      const Schedule fast =
          schedulers.fastest(for_processors(graph, processors), machine.subset(processors),
                             {.seed = options.seed, .effort = options.effort, .frames = options.frames});
      if (!rate.is_held_by(measure(fast).exact_period())) continue;
      is_held = true;
      Candidates(rate, graph, machine, processors, schedulers, options).add(count, chooser);
    }
    if (is_held) return;
  }
}

}  // namespace

std::uint64_t latency_effort(const TaskGraph& graph, const Options& options) {
  const std::uint64_t tasks = std::max<std::size_t>(1, graph.task_count());
  return options.effort.value_or(std::clamp(work_of_a_search / tasks, least_timetables, most_timetables));
}

std::vector<std::size_t> numbers_of_processors(const logp::Machine& machine) {
  std::vector<std::size_t> numbers;
  const std::size_t all = machine.processor_count();
  for (std::size_t count = 1; count < all; count += count < first_numbers ? 1 : count)
    numbers.push_back(count);
  numbers.push_back(all);
  return numbers;
}

std::optional<std::size_t> fewest_processors(const TaskGraph& graph, const logp::Machine& machine,
                                             const RequiredRate& rate) {
  // The other bounds are for tasks on one processor each.
  const AreaBound area(graph, machine);
  const PeriodBounds bounds(graph, machine);
  for (std::size_t count = 1; count <= machine.processor_count(); ++count)
    if (rate.is_held_by(graph.is_moldable() ? Period{area.mean(count).ceiling(), 1}
                                            : bounds.on(count).period))
      return count;
  return std::nullopt;
}

RateSchedule schedule_for_rate(Objective objective, const RequiredRate& rate, const TaskGraph& graph,
                               const logp::Machine& machine, const RateSchedulers& schedulers,
                               const Options& options, std::optional<double> frame_interval) {
  check_fit(graph, machine);
  const Chooser::Latency latency = [&](const Schedule& schedule, const ScheduleMetrics& metrics) {
    if (!frame_interval) return metrics.latency;
    return std::max(metrics.latency,
                    paced_latency(graph, machine, schedule, *frame_interval).value_or(metrics.latency));
  };
  const Workload workload(graph, machine);
  Chooser chooser(objective, rate, workload, latency);
  const std::optional<std::size_t> fewest = fewest_processors(graph, machine, rate);
  if (!fewest) {
    Portfolio portfolio(graph, machine, schedulers, options);
    const std::size_t all = machine.processor_count();
    for (const Schedule& schedule : portfolio.schedules(all)) chooser.add(portfolio.on_machine(schedule));
    for (const Schedule& schedule : portfolio.copies(all)) chooser.add(portfolio.on_machine(schedule));
    RateSchedule fastest = std::move(chooser).take();
    fastest.is_held = false;
    return fastest;
  }
  Candidates candidates(rate, graph, machine, schedulers, options);
  std::vector<std::size_t> numbers = numbers_of_processors(machine);
  std::erase_if(numbers, [&](std::size_t count) { return count < *fewest; });
  if (numbers.empty() || numbers.front() > *fewest) numbers.insert(numbers.begin(), *fewest);
  std::size_t too_few = *fewest - 1;
  for (std::size_t count : numbers) {
    candidates.add(count, chooser);
    if (objective != Objective::processors) continue;
    if (!chooser.is_held()) {
      too_few = count;
      continue;
    }
    // Some numbers were skipped: bisect between the last insufficient one and this one.
    while (too_few + 1 < count) {
      const std::size_t middle = (too_few + count) / 2;
      Chooser fewer(objective, rate, workload, latency);
      candidates.add(middle, fewer);
      if (fewer.is_held()) {
        chooser.add(std::move(fewer).take());
        count = middle;
      } else {
        too_few = middle;
      }
    }
    break;
  }
  if (objective == Objective::processors)
    if (std::optional<Schedule> stages =
            fewest_frame_stages(graph, machine, [&](std::uint32_t frames) { return rate.time_of(frames); }))
      chooser.add(*std::move(stages));
  if (!chooser.is_held())
    try_selections(rate, graph, machine, schedulers, options, *fewest, machine.processor_count(), chooser);
  else if (objective == Objective::processors)
    try_selections(rate, graph, machine, schedulers, options, *fewest, chooser.processors_used() - 1,
                   chooser);
  RateSchedule chosen = std::move(chooser).take();
  chosen.is_proven = objective == Objective::processors && chosen.is_held &&
                     measure(chosen.schedule).processors_used == *fewest;
  return chosen;
}

}  // namespace takt::schedulers
