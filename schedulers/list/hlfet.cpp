#include "schedulers/list/hlfet.hpp"

#include <fmt/format.h>

#include "schedulers/delay/partial_schedule.hpp"
#include "schedulers/delay/ready_queue.hpp"

namespace takt::schedulers {

Timetable hlfet(const DelayModel& model, const Options& options) {
  const std::vector<Time> level = static_levels(model);
  PartialSchedule partial(model, options.trace);
  ReadyQueue ready(model.graph(), by_falling(model.graph(), level));
  while (!ready.empty()) {
    const TaskId task = ready.pop();
    const Slot slot = earliest_append(partial, task);
    partial.place(task, slot, [&] { return fmt::format("static level {}", level[task.index()].count()); });
    ready.place(task);
  }
  return std::move(partial).take();
}

Schedule hlfet(const TaskGraph& graph, const logp::Machine& machine, const Options& options) {
  return timed("hlfet", graph, machine, hlfet(DelayModel(graph, machine), options));
}

}  // namespace takt::schedulers
