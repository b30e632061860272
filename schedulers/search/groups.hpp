#pragma once
/// Groups of tasks that move as one.
///
/// Moves of single tasks rarely cross an expensive message: on the way to a better distribution of the work
/// its ends are on different processors. If whole clusters or components move, their messages stay internal.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/graphs/task_graph.hpp"

namespace takt::schedulers {

/// Tasks in groups, and the acyclic graph of the groups.
struct Groups {
  /// A task for each group, with the work of all its tasks. One copy of a datum goes to each other group that
  /// needs it.
  TaskGraph graph;
  /// Per task.
  std::vector<std::uint32_t> of;

  [[nodiscard]] std::size_t count() const { return graph.task_count(); }
};

/// Returns the weakly connected components as groups: no group needs data of another one.
/// O(n + m log m).
[[nodiscard]] Groups groups_of_components(const TaskGraph& graph);

/// Divides the tasks of a part, such as a cluster or a schedule's processor, into as few groups as there are
/// times at which its data come back from other parts. The level of a task is the largest number of changes
/// of part on a path to it; a group has the tasks of one part and one level. Between groups the part changes,
/// and then the level rises, or the level rises alone: so there is no cycle. O(n log n + m log m).
[[nodiscard]] Groups groups_of_parts(const TaskGraph& graph, std::span<const std::uint32_t> part_of);

/// The same if the numbers of groups and of their edges are at most this share of tasks and edges.
[[nodiscard]] std::optional<Groups> few_groups_of_parts(const TaskGraph& graph,
                                                        std::span<const std::uint32_t> part_of, double share);

/// Returns the groups of a numbering from 0 without gaps, whose graph must be acyclic.
/// O(n + m log m).
[[nodiscard]] Groups groups_of_numbers(const TaskGraph& graph, std::vector<std::uint32_t> group_of);

}  // namespace takt::schedulers
