#pragma once
/// Timetables of tasks with given processors, with their messages on the links of a network.

#include <span>

#include "schedulers/delay/delay_model.hpp"
#include "schedulers/network/routed_schedule.hpp"

namespace takt::schedulers {

/// Quality of a timetable: its length; of equal ones the smaller sum of all ends, which is closer to a
/// shorter one.
struct PlacementCost {
  Time length{0};
  Time sum_of_ends{0};
  friend auto operator<=>(const PlacementCost&, const PlacementCost&) = default;
};

[[nodiscard]] PlacementCost placement_cost(const Timetable& timetable);

/// List scheduling on given processors: the ready task with the highest b-level, with zeroed edges within a
/// processor, goes into the first idle interval of its processor that holds it after the arrival of its
/// messages, routed over the links. Ties: the lower task id.
class RoutedPlacer {
 public:
  /// Borrows both. Complexity of RoutedSchedule.
  RoutedPlacer(const DelayModel& model, const logp::Machine& machine)
      : model_(&model), empty_(model, machine) {}

  [[nodiscard]] const DelayModel& model() const { return *model_; }
  /// Returns the schedule without any task, as a start.
  [[nodiscard]] const RoutedSchedule& empty() const { return empty_; }

  /// Returns the timetable for these processors. O(n log n + m D h), see LinkTraffic.
  [[nodiscard]] RoutedTimetable place(std::span<const ProcessorId> processor_of) const;

 private:
  const DelayModel* model_;
  RoutedSchedule empty_;
};

}  // namespace takt::schedulers
