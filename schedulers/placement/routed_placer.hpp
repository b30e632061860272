#pragma once
/// Timetables of tasks whose processors are given, with their messages on the links of a network.

#include <span>

#include "schedulers/delay/delay_model.hpp"
#include "schedulers/network/routed_schedule.hpp"

namespace takt::schedulers {

/// How good a timetable is: its length; of equal ones the smaller sum of all ends, which is nearer to a
/// shorter one.
struct PlacementCost {
  Time length{0};
  Time sum_of_ends{0};
  friend auto operator<=>(const PlacementCost&, const PlacementCost&) = default;
};

[[nodiscard]] PlacementCost placement_cost(const Timetable& timetable);

/// List scheduling on given processors: of the ready tasks the one with the highest b-level, in which an edge
/// within a processor counts nothing, comes next, into the first idle interval of its processor that holds
/// it and when its messages, routed over the links, are there. Ties: the lower task id.
class RoutedPlacer {
 public:
  /// Borrows both. As a RoutedSchedule.
  RoutedPlacer(const DelayModel& model, const logp::Machine& machine)
      : model_(&model), empty_(model, machine) {}

  [[nodiscard]] const DelayModel& model() const { return *model_; }
  /// Without any task yet, to begin with.
  [[nodiscard]] const RoutedSchedule& empty() const { return empty_; }

  /// O(n log n + m D h), see LinkTraffic.
  [[nodiscard]] RoutedTimetable place(std::span<const ProcessorId> processor_of) const;

 private:
  const DelayModel* model_;
  RoutedSchedule empty_;
};

}  // namespace takt::schedulers
