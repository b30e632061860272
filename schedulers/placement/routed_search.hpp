#pragma once
/// Where groups of tasks should be on a network, by trial.

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

/// With its timetable by the placer.
[[nodiscard]] RoutedPlacement routed(const RoutedPlacer& placer, PlacedGroups groups);

/// Each group, when the first of its tasks comes in the order of falling b-level, goes where that task ends
/// first with its messages routed. O(n log n + m D h + (groups' first tasks' messages) P D h).
[[nodiscard]] PlacedGroups place_by_routes(const RoutedPlacer& placer, PlacedGroups groups);

/// Each task, when it comes in that order, which need not be topological, goes where it ends first with its
/// messages routed. O(n log n + m P D h).
[[nodiscard]] RoutedPlacement place_one_by_one(const RoutedPlacer& placer, std::vector<TaskId> order);

/// Moves groups one by one, those that exchange the most first, to the processors nearest to what they
/// exchange data with, to the one with the least work, or in exchange with the group that exchanges most
/// there, and keeps what makes the timetable better; until nothing does, or the budget, which is in tasks and
/// messages placed, is used up. `exchanges` is of the groups (exchanges_of_groups) on the same machine.
/// O(n log n + m D h) a trial.
void improve_routed(const RoutedPlacer& placer, const InteractionGraph& exchanges, RoutedPlacement& placement,
                    std::uint64_t& budget);

}  // namespace takt::schedulers
