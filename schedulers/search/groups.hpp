#pragma once
/// Tasks that move as one.
///
/// Moving single tasks rarely gets over a heavy message: on the way to a better share of the work both ends
/// of it are on different processors. Where whole clusters or components move, their messages never show.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/graphs/task_graph.hpp"

namespace takt::schedulers {

/// Tasks in groups, and the groups as a graph again, which has no circle.
struct Groups {
  /// A task for each group, with the work of all its tasks. Of a datum one copy goes to each other group that
  /// needs it.
  TaskGraph graph;
  /// By task.
  std::vector<std::uint32_t> of;

  [[nodiscard]] std::size_t count() const { return graph.task_count(); }
};

/// Tasks that hang together, directly or through others. No group needs anything of another one. O(n + m log
/// m).
[[nodiscard]] Groups groups_of_components(const TaskGraph& graph);

/// The tasks of a part, such as a cluster or a schedule's processor, in as few groups as there are times at
/// which its data come back from other parts: a task's level is how often the data on some way to it change
/// parts at most, and a group has the tasks of one part and one level. From group to group the part changes,
/// and then the level rises, or the level rises alone: so there is no circle. O(n log n + m log m).
[[nodiscard]] Groups groups_of_parts(const TaskGraph& graph, std::span<const std::uint32_t> part_of);

/// The same if there are at most such a share as many groups as tasks, and edges between them as edges.
[[nodiscard]] std::optional<Groups> few_groups_of_parts(const TaskGraph& graph,
                                                        std::span<const std::uint32_t> part_of, double share);

/// The groups of a numbering from 0 that leaves no number out, and among which there is no circle. O(n + m
/// log m).
[[nodiscard]] Groups groups_of_numbers(const TaskGraph& graph, std::vector<std::uint32_t> group_of);

}  // namespace takt::schedulers
