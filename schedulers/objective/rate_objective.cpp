#include "schedulers/objective/rate_objective.hpp"

#include <algorithm>
#include <tuple>

#include "core/error.hpp"
#include "schedulers/frequency/bounds.hpp"
#include "schedulers/frequency/copies.hpp"
#include "schedulers/frequency/replication_bound.hpp"
#include "schedulers/frequency/workload.hpp"
#include "schedulers/objective/latency_search.hpp"
#include "schedulers/objective/portfolio.hpp"

namespace takt::schedulers {

namespace {

constexpr std::size_t first_numbers = 16;
/// Tasks times timetables of one latency search.
constexpr std::uint64_t work_of_a_search = 200'000, most_timetables = 20'000, least_timetables = 200;

bool has_no_state(const TaskGraph& graph) {
  return std::ranges::all_of(graph.tasks(), [&](TaskId task) { return graph.task(task).stateless; });
}

Period bound_of(const TaskGraph& graph, const logp::Machine& machine) {
  if (can_replicate(graph, machine)) return replication_bound(graph, machine).period;
  return {PeriodBounds(graph, machine).best().time, 1};
}

/// Keeps the best schedule that holds the rate, and the fastest one of all.
class Chooser {
 public:
  Chooser(RateObjective objective, const RequiredRate& rate) : objective_(objective), rate_(rate) {}

  void add(Schedule schedule) {
    ScheduleMetrics metrics = measure(schedule);
    if (!fastest_ || metrics.exact_period() < measure(*fastest_).exact_period()) fastest_ = schedule;
    if (!rate_.is_held_by(metrics.exact_period())) return;
    if (best_ && !is_better(metrics, best_metrics_)) return;
    best_ = std::move(schedule);
    best_metrics_ = std::move(metrics);
  }
  [[nodiscard]] bool is_held() const { return best_.has_value(); }
  [[nodiscard]] Schedule take() && { return best_ ? std::move(*best_) : std::move(*fastest_); }

 private:
  [[nodiscard]] bool is_better(const ScheduleMetrics& a, const ScheduleMetrics& b) const {
    const auto key = [&](const ScheduleMetrics& m) {
      const auto processors = static_cast<Time::rep>(m.processors_used), latency = m.latency.count();
      return objective_ == RateObjective::latency ? std::tuple(latency, processors, m.period())
                                                  : std::tuple(processors, latency, m.period());
    };
    return key(a) < key(b);
  }

  RateObjective objective_;
  const RequiredRate& rate_;
  std::optional<Schedule> best_, fastest_;
  ScheduleMetrics best_metrics_;
};

/// Everything there is to choose from on so many processors.
void add_candidates(const RequiredRate& rate, const TaskGraph& graph, const logp::Machine& machine,
                    std::size_t count, const Options& options, Chooser& chooser) {
  const std::vector<ProcessorId> processors = best_processors(graph, machine, count);
  const logp::Machine part = machine.subset(processors);
  const std::vector<Schedule> members = portfolio(graph, machine, processors, options);
  for (const Schedule& schedule : members) chooser.add(schedule);

  const std::size_t all = machine.processor_count();
  const auto search = [&](std::size_t size, std::uint32_t groups) {
    const std::vector<ProcessorId> group(processors.begin(),
                                         processors.begin() + static_cast<std::ptrdiff_t>(size));
    const logp::Machine group_machine = machine.subset(group);
    std::vector<Schedule> starts;
    for (const char* name : {"optfo", "heft", "etf", "single"}) try {
        starts.push_back(find_scheduler(name).schedule(graph, group_machine, options));
      } catch (const ConfigError&) {
        // It cannot serve these processors: the others can.
      }
    auto found = find_least_latency(graph, group_machine, rate.time_of(groups), starts,
                                    latency_effort(graph, options), options.seed);
    if (!found) return;
    if (groups > 1) {
      Schedule copies = copies_on_groups(*found, size, groups, count);
      copies.scheduler = found->scheduler;
      found = std::move(copies);
    }
    chooser.add(on_processors(*found, processors, all));
  };
  search(count, 1);
  if (count > 1 && has_no_state(graph) && Workload(graph, part).is_uniform())
    for (std::uint32_t groups = 2; groups <= count; ++groups)
      if (count / groups != count / (groups - 1)) search(count / groups, groups);
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
  for (std::size_t count = 1; count <= machine.processor_count(); ++count)
    if (rate.is_held_by(bound_of(graph, machine.subset(best_processors(graph, machine, count)))))
      return count;
  return std::nullopt;
}

RateSchedule schedule_for_rate(RateObjective objective, const RequiredRate& rate, const TaskGraph& graph,
                               const logp::Machine& machine, const Options& options) {
  Chooser chooser(objective, rate);
  const std::optional<std::size_t> fewest = fewest_processors(graph, machine, rate);
  const std::size_t all = machine.processor_count();
  if (!fewest) {
    for (Schedule& schedule : portfolio(graph, machine, best_processors(graph, machine, all), options))
      chooser.add(std::move(schedule));
    return {std::move(chooser).take(), false, false};
  }
  std::vector<std::size_t> numbers = numbers_of_processors(machine);
  std::erase_if(numbers, [&](std::size_t count) { return count < *fewest; });
  if (numbers.empty() || numbers.front() > *fewest) numbers.insert(numbers.begin(), *fewest);
  std::size_t too_few = *fewest - 1;
  for (std::size_t count : numbers) {
    add_candidates(rate, graph, machine, count, options, chooser);
    if (objective != RateObjective::processors) continue;
    if (!chooser.is_held()) {
      too_few = count;
      continue;
    }
    // Numbers were left out: bisect between the last that was too few and this one.
    while (too_few + 1 < count) {
      const std::size_t middle = (too_few + count) / 2;
      Chooser fewer(objective, rate);
      add_candidates(rate, graph, machine, middle, options, fewer);
      if (fewer.is_held()) {
        chooser.add(std::move(fewer).take());
        count = middle;
      } else {
        too_few = middle;
      }
    }
    break;
  }
  const bool is_held = chooser.is_held();
  Schedule schedule = std::move(chooser).take();
  const bool is_proven =
      objective == RateObjective::processors && is_held && measure(schedule).processors_used == *fewest;
  return {std::move(schedule), is_held, is_proven};
}

}  // namespace takt::schedulers
