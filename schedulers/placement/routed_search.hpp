#pragma once
/// Search for the placement of groups of tasks on a network, by trial.

#include <cstdint>

#include "schedulers/mapping/interaction_graph.hpp"
#include "schedulers/placement/placed_groups.hpp"
#include "schedulers/placement/routed_placer.hpp"

namespace takt::schedulers {

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
