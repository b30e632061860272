#include "schedulers/heterogeneous/heft.hpp"

#include <utility>

#include <fmt/format.h>

#include "schedulers/delay/insertion_schedule.hpp"
#include "schedulers/delay/ready_queue.hpp"
#include "schedulers/heterogeneous/ranks.hpp"

namespace takt::schedulers {

Timetable heft(const DelayModel& model, const Options& options) {
  const std::vector<Parts> rank = upward_ranks(model);
  InsertionSchedule partial(model, options.trace);
  ReadyQueue ready(model.graph(), by_falling(model.graph(), rank));
  while (!ready.empty()) {
    const TaskId task = ready.pop();
    partial.place(task, partial.earliest_end(task),
                  [&] { return fmt::format("upward rank {:.3f}", model.ticks(rank[task.index()])); });
    ready.place(task);
  }
  return std::move(partial).take();
}

Schedule heft(const TaskGraph& graph, const logp::Machine& machine, const Options& options) {
  Timetable decided = heft(DelayModel(graph, machine), options);
  return timed("heft", graph, machine, std::move(decided));
}

}  // namespace takt::schedulers
