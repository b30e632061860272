#include "schedulers/heterogeneous/cpop.hpp"

#include <utility>

#include <fmt/format.h>

#include "schedulers/delay/critical_path.hpp"
#include "schedulers/delay/insertion_schedule.hpp"
#include "schedulers/delay/ready_queue.hpp"
#include "schedulers/heterogeneous/ranks.hpp"

namespace takt::schedulers {

Timetable cpop(const DelayModel& model, const Options& options) {
  const TaskGraph& graph = model.graph();
  const std::vector<Parts> upward = upward_ranks(model);
  std::vector<Parts> priority = downward_ranks(model);
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
      return fmt::format("sum of ranks {:.3f}{}", model.ticks(priority[task.index()]),
                         on_path ? ", on the critical path" : "");
    });
    ready.place(task);
  }
  return std::move(partial).take();
}

Schedule cpop(const TaskGraph& graph, const logp::Machine& machine, const Options& options) {
  Timetable decided = cpop(DelayModel(graph, machine), options);
  return timed("cpop", graph, machine, std::move(decided));
}

}  // namespace takt::schedulers
