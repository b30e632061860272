#pragma once
/// A partial schedule with insertion of tasks into idle intervals.

#include <optional>
#include <vector>

#include "schedulers/delay/partial_schedule.hpp"
#include "schedulers/delay/timeline.hpp"

namespace takt::schedulers {

class InsertionSchedule {
 public:
  explicit InsertionSchedule(const DelayModel& model, Trace* trace = nullptr)
      : partial_(model, trace), timelines_(model.processor_count()) {}

  [[nodiscard]] const PartialSchedule& partial() const { return partial_; }

  /// Returns the earliest start of a task on a processor, between other tasks where it fits.
  [[nodiscard]] Time earliest_start(TaskId task, ProcessorId processor) const;
  /// Returns the slot over all processors with the earliest start, or with the earliest end; of equal ones on
  /// the first processor. O(in-degree * P + P log n).
  [[nodiscard]] Slot earliest_start(TaskId task);
  [[nodiscard]] Slot earliest_end(TaskId task);
  /// Returns the slot over all processors with the least `value(slot, end)`; of equal ones on the first
  /// processor. The trace shows the value divided by `tick` under its name.
  template <class Value>
  [[nodiscard]] Slot least(TaskId task, Value value, std::string_view name, double tick = 1);

  template <class Why>
  void place(TaskId task, Slot slot, Why why) {
    partial_.place(task, slot, why);
    timelines_[slot.processor.index()].reserve(slot.start, partial_.end(task) - slot.start);
  }

  [[nodiscard]] Timetable take() && { return std::move(partial_).take(); }

 private:
  [[nodiscard]] static double number(Time time) { return static_cast<double>(time.count()); }
  [[nodiscard]] static double number(double value) { return value; }

  PartialSchedule partial_;
  std::vector<Timeline> timelines_;
};

template <class Value>
Slot InsertionSchedule::least(TaskId task, Value value, std::string_view name, double tick) {
  const std::span<const Time> arrivals = partial_.arrivals(task);
  Slot best;
  std::optional<decltype(value(Slot{}, Time{}))> best_value;
  for (ProcessorId p : partial_.model().processors()) {
    const Time duration = partial_.model().duration(task, p);
    // The value never falls with the start, so a processor that cannot be better needs no search.
    const Time arrival = arrivals[p.index()];
    if (best_value && !partial_.is_traced() && value(Slot{p, arrival}, arrival + duration) >= *best_value)
      continue;
    const Slot slot{p, timelines_[p.index()].earliest(arrival, duration)};
    const auto slot_value = value(slot, slot.start + duration);
    partial_.consider(slot, name, number(slot_value) / tick);
    if (!best_value || slot_value < *best_value) {
      best = slot;
      best_value = slot_value;
    }
  }
  return best;
}

}  // namespace takt::schedulers
