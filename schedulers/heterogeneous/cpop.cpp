#include "schedulers/heterogeneous/cpop.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "schedulers/common/insertion_schedule.hpp"
#include "schedulers/common/ready_queue.hpp"
#include "schedulers/heterogeneous/ranks.hpp"

namespace takt::schedulers {

namespace {

/// A longest path from an entry to an exit: at each step on to the child whose upward rank makes the task's
/// own.
std::vector<TaskId> critical_path_of(const DelayModel& model, const std::vector<double>& upward) {
  const TaskGraph& graph = model.graph();
  std::vector<TaskId> path;
  if (graph.task_count() == 0) return path;
  path.push_back(by_falling(graph, upward).front());
  while (true) {
    std::optional<TaskId> next;
    double longest = 0;
    for (EdgeId edge : graph.out_edges(path.back())) {
      const TaskId child = graph.edge(edge).to;
      const double below = model.exact_mean_delay(edge) + upward[child.index()];
      if (!next || below > longest || (below == longest && child < *next)) {
        next = child;
        longest = below;
      }
    }
    if (!next) return path;
    path.push_back(*next);
  }
}

ProcessorId fastest_for(const DelayModel& model, const std::vector<TaskId>& path) {
  ProcessorId fastest;
  Time least = Time::max();
  for (ProcessorId p : model.processors()) {
    Time sum{0};
    for (TaskId task : path) sum += model.duration(task, p);
    if (sum < least) {
      fastest = p;
      least = sum;
    }
  }
  return fastest;
}

}  // namespace

Timetable cpop(const DelayModel& model, const Options& options) {
  const TaskGraph& graph = model.graph();
  const std::vector<double> upward = upward_ranks(model);
  std::vector<double> priority = downward_ranks(model);
  for (TaskId task : graph.tasks()) priority[task.index()] += upward[task.index()];
  const std::vector<TaskId> path = critical_path_of(model, upward);
  const ProcessorId path_processor = fastest_for(model, path);
  std::vector<bool> critical(graph.task_count(), false);
  for (TaskId task : path) critical[task.index()] = true;

  InsertionSchedule partial(model, options.trace);
  ReadyQueue ready(graph, by_falling(graph, priority));
  while (!ready.empty()) {
    const TaskId task = ready.pop();
    const bool on_path = critical[task.index()];
    const Slot slot = on_path ? Slot{path_processor, partial.earliest_start(task, path_processor)}
                              : partial.earliest_end(task);
    partial.place(task, slot, [&] {
      return fmt::format("sum of ranks {:.3f}{}", priority[task.index()],
                         on_path ? ", on the critical path" : "");
    });
    ready.place(task);
  }
  return std::move(partial).take();
}

Schedule cpop(const TaskGraph& graph, const logp::Machine& machine, const Options& options) {
  return timed("cpop", graph, machine, cpop(DelayModel(graph, machine), options));
}

}  // namespace takt::schedulers
