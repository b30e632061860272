#include "schedulers/list/last.hpp"

#include <utility>

#include <fmt/format.h>

#include "schedulers/delay/partial_schedule.hpp"
#include "schedulers/delay/ready_queue.hpp"

namespace takt::schedulers {

namespace {

/// Share of edges from parents in the delays of a task's edges; 0 without delays.
double share_of_parents(const DelayModel& model, TaskId task) {
  Time parents{0}, children{0};
  for (EdgeId edge : model.graph().in_edges(task)) parents += model.mean_delay(edge);
  for (EdgeId edge : model.graph().out_edges(task)) children += model.mean_delay(edge);
  const Time all = parents + children;
  return all > Time{0} ? static_cast<double>(parents.count()) / static_cast<double>(all.count()) : 0.0;
}

}  // namespace

Timetable last(const DelayModel& model, const Options& options) {
  const TaskGraph& graph = model.graph();
  const std::vector<Time> level = static_levels(model);
  std::vector<double> share(graph.task_count());
  for (TaskId task : graph.tasks()) share[task.index()] = share_of_parents(model, task);
  auto before = [&](TaskId a, TaskId b) {
    return std::pair(share[a.index()], level[a.index()]) > std::pair(share[b.index()], level[b.index()]);
  };

  PartialSchedule partial(model, options.trace);
  ReadyQueue ready(graph, sorted_tasks(graph, before));
  while (!ready.empty()) {
    const TaskId task = ready.pop();
    partial.place(task, earliest_append(partial, task),
                  [&] { return fmt::format("share of placed neighbours {:.3f}", share[task.index()]); });
    ready.place(task);
  }
  return std::move(partial).take();
}

Schedule last(const TaskGraph& graph, const logp::Machine& machine, const Options& options) {
  Timetable decided = last(DelayModel(graph, machine), options);
  return timed("last", graph, machine, std::move(decided));
}

}  // namespace takt::schedulers
