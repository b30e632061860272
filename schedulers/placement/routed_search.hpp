#pragma once
/// Search for the placement of groups of tasks on a network, by trial.

#include <cstdint>
#include <span>

#include "schedulers/delay/delay_model.hpp"
#include "schedulers/mapping/interaction_graph.hpp"
#include "schedulers/network/routed_schedule.hpp"
#include "schedulers/placement/placed_groups.hpp"

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

/// A placement and its timetable.
struct RoutedPlacement {
  PlacedGroups groups;
  RoutedTimetable timetable;
  PlacementCost cost;
};

/// Returns the groups with their timetable by the placer.
[[nodiscard]] RoutedPlacement routed(const RoutedPlacer& placer, PlacedGroups groups);

/// Places each group, when its first task by falling b-level comes up, where that task ends first with its
/// messages routed. O(n log n + m D h + (groups' first tasks' messages) P D h).
[[nodiscard]] PlacedGroups place_by_routes(const RoutedPlacer& placer, PlacedGroups groups);

/// Places each task, in that order, which need not be topological, where it ends first with its messages
/// routed. O(n log n + m P D h).
[[nodiscard]] RoutedPlacement place_one_by_one(const RoutedPlacer& placer, std::vector<TaskId> order);

/// Moves groups one by one, those with the largest exchanges first: to the processors
/// nearest to their partners, to the one with the least work, or in exchange with the
/// group that exchanges most there. Keeps moves that improve the timetable; ends when
/// no move does, or the budget of placed tasks and messages is spent. `exchanges` is of
/// the groups (exchanges_of_groups) on the same machine. O(n log n + m D h) a trial.
void improve_routed(const RoutedPlacer& placer, const InteractionGraph& exchanges, RoutedPlacement& placement,
                    std::uint64_t& budget);

}  // namespace takt::schedulers
