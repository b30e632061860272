#include "schedulers/placement/routed_placer.hpp"

#include <string>
#include <utility>

#include "schedulers/delay/assignment.hpp"
#include "schedulers/delay/ready_queue.hpp"

namespace takt::schedulers {

PlacementCost placement_cost(const Timetable& timetable) {
  PlacementCost cost{timetable.length(), Time{0}};
  for (Time end : timetable.end) cost.sum_of_ends += end;
  return cost;
}

RoutedTimetable RoutedPlacer::place(std::span<const ProcessorId> processor_of) const {
  RoutedSchedule routed(empty_);
  ReadyQueue ready(model_->graph(), by_falling(model_->graph(), b_levels(*model_, processor_of)));
  while (!ready.empty()) {
    const TaskId task = ready.pop();
    routed.insert(task, processor_of[task.index()], [] { return std::string(); });
    ready.place(task);
  }
  return std::move(routed).take();
}

}  // namespace takt::schedulers
