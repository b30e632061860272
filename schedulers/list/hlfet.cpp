#include "schedulers/list/hlfet.hpp"

#include <utility>

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
  Timetable decided = hlfet(DelayModel(graph, machine), options);
  return timed("hlfet", graph, machine, std::move(decided));
}

}  // namespace takt::schedulers
