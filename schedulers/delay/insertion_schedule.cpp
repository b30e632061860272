#include "schedulers/delay/insertion_schedule.hpp"

namespace takt::schedulers {

Time InsertionSchedule::earliest_start(TaskId task, ProcessorId processor) const {
  return timelines_[processor.index()].earliest(partial_.arrival(task, processor),
                                                partial_.model().duration(task, processor));
}

Slot InsertionSchedule::earliest_start(TaskId task) {
  return least(
      task, [](Slot slot, Time) { return slot.start; }, "start");
}

Slot InsertionSchedule::earliest_end(TaskId task) {
  return least(
      task, [](Slot, Time end) { return end; }, "end");
}

}  // namespace takt::schedulers
