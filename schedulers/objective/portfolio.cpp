#include "schedulers/objective/portfolio.hpp"

#include <algorithm>
#include <functional>
#include <string_view>

#include "core/error.hpp"
#include "logp/period.hpp"
#include "schedulers/frequency/copies.hpp"
#include "schedulers/frequency/workload.hpp"

namespace takt::schedulers {

namespace {

constexpr std::string_view members[] = {"optfo", "chains", "greedy", "single", "heft", "etf", "mcp", "dls"};
/// Those that stay quick on any graph, and the number of tasks above which only they are asked.
constexpr std::string_view quick_members[] = {"optfo", "chains", "single", "heft"};
constexpr std::size_t many_tasks = 1'000;

std::vector<Schedule> one_copy(const TaskGraph& graph, const logp::Machine& machine, const Options& options) {
  std::vector<Schedule> schedules;
  const auto add = [&](std::string_view name) {
    try {
      schedules.push_back(find_scheduler(name).schedule(graph, machine, options));
      Schedule faster = logp::with_smallest_period(machine, schedules.back());
      if (faster != schedules.back()) schedules.push_back(std::move(faster));
    } catch (const ConfigError&) {
      // A scheduler that cannot serve this machine has no say.
    }
  };
  if (graph.task_count() > many_tasks)
    std::ranges::for_each(quick_members, add);
  else
    std::ranges::for_each(members, add);
  return schedules;
}

}  // namespace

std::vector<ProcessorId> best_processors(const TaskGraph& graph, const logp::Machine& machine,
                                         std::size_t count) {
  std::vector<ProcessorId> processors;
  for (ProcessorId p : machine.processors()) processors.push_back(p);
  if (!graph.has_work_table())
    std::ranges::stable_sort(processors, std::greater{},
                             [&](ProcessorId p) { return machine.platform().speeds[p.index()]; });
  processors.resize(std::min(count, processors.size()));
  return processors;
}

Schedule on_processors(const Schedule& schedule, std::span<const ProcessorId> processors,
                       std::size_t processor_count) {
  Schedule result = schedule;
  result.processors.assign(processor_count, {});
  for (std::size_t i = 0; i < processors.size(); ++i)
    result.processors[processors[i].index()] = schedule.processors[i];
  for (Message& message : result.messages) {
    message.from = processors[message.from.index()];
    message.to = processors[message.to.index()];
  }
  // Bounds hold for the part only.
  result.period_bound.reset();
  result.makespan_bound.reset();
  result.optimal = false;
  return result;
}

std::vector<Schedule> portfolio(const TaskGraph& graph, const logp::Machine& machine,
                                std::span<const ProcessorId> processors, const Options& options) {
  const logp::Machine part = machine.subset(processors);
  std::vector<Schedule> schedules = one_copy(graph, part, options);
  const Workload workload(graph, part);
  const bool has_state =
      std::ranges::any_of(graph.tasks(), [&](TaskId task) { return !graph.task(task).stateless; });
  if (!has_state && workload.is_uniform())
    for (std::size_t size = 1; 2 * size <= processors.size(); ++size) {
      const auto groups = static_cast<std::uint32_t>(processors.size() / size);
      for (const Schedule& schedule : one_copy(graph, machine.subset(processors.first(size)), options))
        if (schedule.replicas == 1)
          schedules.push_back(copies_on_groups(schedule, size, groups, processors.size()));
    }
  for (Schedule& schedule : schedules)
    schedule = on_processors(schedule, processors, machine.processor_count());
  return schedules;
}

}  // namespace takt::schedulers
