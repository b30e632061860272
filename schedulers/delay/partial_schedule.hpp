#pragma once
/// The decisions of a list scheduler so far: processor and start of each placed task, parents before their
/// children.

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schedulers/delay/delay_model.hpp"
#include "schedulers/delay/timetable.hpp"
#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

class PartialSchedule {
 public:
  /// Borrows the model; `trace`, if not null, gets a step for each placed task.
  explicit PartialSchedule(const DelayModel& model, Trace* trace = nullptr);

  [[nodiscard]] const DelayModel& model() const { return *model_; }
  [[nodiscard]] ProcessorId processor(TaskId task) const { return timetable_.processor[task.index()]; }
  [[nodiscard]] Time start(TaskId task) const { return timetable_.start[task.index()]; }
  [[nodiscard]] Time end(TaskId task) const { return timetable_.end[task.index()]; }
  /// Returns the end of the last task of a processor; 0 for an empty one.
  [[nodiscard]] Time ready_time(ProcessorId processor) const { return ready_[processor.index()]; }

  /// Returns the arrival of the task's last input on the processor. All parents must be placed. O(in-degree).
  [[nodiscard]] Time arrival(TaskId task, ProcessorId processor) const;
  /// Returns the arrivals on every processor; valid until the next call. O(in-degree * P).
  [[nodiscard]] std::span<const Time> arrivals(TaskId task);

  [[nodiscard]] bool is_traced() const { return trace_ != nullptr; }
  /// Records a considered slot of the next task for the trace.
  void consider(Slot slot) {
    if (trace_ != nullptr) considered_.push_back(slot);
  }
  /// Records a slot with a compared value other than the start; the same one for all slots of a task.
  void consider(Slot slot, std::string_view compared, double value) {
    if (trace_ == nullptr) return;
    considered_.push_back(slot);
    values_.push_back(value);
    compared_ = compared;
  }
  void consider(Slot slot, std::string_view compared, Time value) {
    consider(slot, compared, static_cast<double>(value.count()));
  }
  /// Puts a task into a slot. `why` is the reason in the trace, and is only evaluated for one.
  template <class Why>
  void place(TaskId task, Slot slot, Why why) {
    place(task, slot);
    if (trace_ == nullptr) return;
    trace_->push_back({task, slot.processor, slot.start, end(task), why(), std::move(considered_),
                       std::move(values_), std::exchange(compared_, {})});
    considered_.clear();
    values_.clear();
  }

  [[nodiscard]] Timetable take() && { return std::move(timetable_); }

 private:
  void place(TaskId task, Slot slot);

  const DelayModel* model_;
  Trace* trace_;
  /// Considered slots of the next task.
  std::vector<Slot> considered_;
  std::vector<double> values_;
  std::string_view compared_;
  Timetable timetable_;
  std::vector<Time> ready_;
  std::vector<Time> arrivals_;
};

/// Records for the trace the start of a task on each processor after all tasks there. O(in-degree * P) with a
/// trace.
void consider_all(PartialSchedule& partial, TaskId task);

/// Returns the processor with the earliest start of a task after all tasks there; of equal ones the first.
/// O(in-degree * P).
[[nodiscard]] Slot earliest_append(PartialSchedule& partial, TaskId task);

}  // namespace takt::schedulers
