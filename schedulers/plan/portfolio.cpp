#include "schedulers/plan/portfolio.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "core/error.hpp"
#include "core/graphs/task_groups.hpp"
#include "logp/diagnostics.hpp"
#include "logp/period.hpp"
#include "schedulers/bounds/without_proofs.hpp"
#include "schedulers/latency/greedy_groups.hpp"
#include "schedulers/replication/copies.hpp"
#include "schedulers/search/processor_ranking.hpp"
#include "schedulers/search/processor_selections.hpp"
#include "schedulers/search/workload.hpp"

namespace takt::schedulers {

namespace {

/// Number of tasks above which only schedulers that are fast on any graph are run.
constexpr std::size_t many_tasks = 1'000;
/// Largest number of tasks for which groups are searched.
constexpr std::size_t most_tasks_in_groups = 200;
/// Largest number of tasks for which layers are divided among groups of processors.
constexpr std::size_t most_grouped_tasks = 20'000;
/// Effort of a search that runs for many parts.
constexpr std::uint64_t effort_on_a_part = 100'000;

}  // namespace

Portfolio::Portfolio(const TaskGraph& graph, const logp::Machine& machine,
                     std::vector<ProcessorId> processors, const RateSchedulers& schedulers,
                     const Options& options)
    : graph_(graph),
      machine_(machine),
      schedulers_(schedulers),
      options_(options),
      processors_(std::move(processors)),
      can_take_turns_(
          processors_.size() > 1 && Workload(graph, machine).is_uniform() &&
          std::ranges::all_of(graph.tasks(), [&](TaskId task) { return graph.task(task).stateless; })) {
  if (graph.has_work_table()) reordered_ = for_processors(graph, processors_);
}

Portfolio::Portfolio(const TaskGraph& graph, const logp::Machine& machine, const RateSchedulers& schedulers,
                     const Options& options)
    : Portfolio(graph, machine, fastest_first(Workload(graph, machine)), schedulers, options) {}

logp::Machine Portfolio::part(std::size_t count) const {
  return machine_.subset(std::span(processors_).first(count));
}

const std::vector<Schedule>& Portfolio::schedules(std::size_t count) {
  const auto [entry, is_new] = known_.try_emplace(count);
  std::vector<Schedule>& schedules = entry->second;
  if (!is_new) return schedules;
  const logp::Machine machine = part(count);
  Options options = options_;
  if (!options.effort && count < machine_.processor_count()) options.effort = effort_on_a_part;
  const bool only_quick = graph_.task_count() > many_tasks;
  for (const SchedulerFunction scheduler : only_quick ? schedulers_.quick : schedulers_.all) {
    try {
      Schedule schedule = scheduler(graph(), machine, options);
      // in_groups() returns these.
      if (runs_in_groups(graph(), schedule)) continue;
      schedules.push_back(std::move(schedule));
      Schedule faster = logp::with_least_repetition(machine, schedules.back());
      if (faster != schedules.back()) schedules.push_back(std::move(faster));
    } catch (const ConfigError&) {
      // Schedulers that do not support this machine are skipped.
    }
  }
  if (graph_.task_count() <= most_grouped_tasks)
    for (Schedule& schedule : greedy_groups(graph(), machine)) schedules.push_back(std::move(schedule));
  return schedules;
}

std::vector<Schedule> Portfolio::in_groups(std::size_t count) const {
  std::vector<Schedule> result;
  if (!graph_.is_moldable() || graph_.task_count() > most_tasks_in_groups) return result;
  const logp::Machine machine = part(count);
  for (const SchedulerFunction scheduler : schedulers_.with_groups) {
    try {
      const Schedule schedule = scheduler(graph(), machine, options_);
      if (!runs_in_groups(graph(), schedule)) continue;
      Schedule whole = on_machine(schedule);
      // Blocks follow the processor ids, whose order differs here if speeds differ.
      if (logp::diagnose(graph_, machine_, whole, {.limit = 1}).empty()) result.push_back(std::move(whole));
    } catch (const ConfigError&) {
      // The same for these.
    }
  }
  return result;
}

std::size_t Portfolio::largest_group(std::size_t count) const {
  return std::min(count / 2, machine_.platform().network.empty() ? count : 1);
}

std::vector<Schedule> Portfolio::copies(std::size_t count) {
  std::vector<Schedule> result;
  if (!can_take_turns_) return result;
  for (std::size_t size = 1; size <= largest_group(count); ++size)
    for (const Schedule& schedule : schedules(size))
      if (schedule.replicas == 1 && !schedule.repetition)
        result.push_back(copies_on_groups(schedule, size, static_cast<std::uint32_t>(count / size), count));
  return result;
}

Schedule Portfolio::on_machine(const Schedule& schedule) const {
  return on_whole_machine(schedule, processors_, machine_.processor_count());
}

Schedule on_whole_machine(Schedule schedule, std::span<const ProcessorId> part, std::size_t processors) {
  std::vector<std::vector<Operation>> all(processors);
  for (std::size_t i = 0; i < schedule.processors.size(); ++i)
    all[part[i].index()] = std::move(schedule.processors[i]);
  schedule.processors = std::move(all);
  for (Message& message : schedule.messages) {
    message.from = part[message.from.index()];
    message.to = part[message.to.index()];
  }
  return without_proofs(std::move(schedule));
}

}  // namespace takt::schedulers
