#pragma once
/// Groups of tasks that share a processor, and what they say to each other.

#include <cstdint>
#include <span>
#include <vector>

#include "core/graphs/task_graph.hpp"

namespace takt::schedulers {

/// Tasks in groups, such as clusters or the processors of a schedule, and where each group is.
struct PlacedGroups {
  /// By task, numbered from 0, and by group.
  std::vector<std::uint32_t> group_of;
  std::vector<ProcessorId> place;

  /// Every task a group of its own.
  [[nodiscard]] static PlacedGroups single_tasks(std::vector<ProcessorId> processor_of);
  /// A group for each processor that has tasks, there.
  [[nodiscard]] static PlacedGroups of_processors(std::span<const ProcessorId> processor_of);

  [[nodiscard]] std::size_t count() const { return place.size(); }
  /// By task.
  [[nodiscard]] std::vector<ProcessorId> processors() const;
};

/// A task for each group, with the work of all its tasks, and an edge for each two that exchange data, with
/// all of it, from the lower group to the higher one: who sends to whom is not kept, for groups may depend
/// on each other in a circle. O(n P + m log m), P only with a table of times.
[[nodiscard]] TaskGraph exchanges_of_groups(const TaskGraph& graph, std::span<const std::uint32_t> group_of,
                                            std::size_t count);

}  // namespace takt::schedulers
