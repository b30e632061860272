#pragma once
/// Groups of tasks that share a processor, and their communication.

#include <cstdint>
#include <span>
#include <vector>

#include "core/graphs/task_graph.hpp"

namespace takt::schedulers {

/// Tasks in groups, such as clusters or the processors of a schedule, and the processor of each group.
struct PlacedGroups {
  /// The group of each task, numbered from 0; below, the processor of each group.
  std::vector<std::uint32_t> group_of;
  std::vector<ProcessorId> place;

  /// Makes every task a group of its own.
  [[nodiscard]] static PlacedGroups single_tasks(std::vector<ProcessorId> processor_of);
  /// Makes one group of the tasks of each used processor, on that processor.
  [[nodiscard]] static PlacedGroups of_processors(std::span<const ProcessorId> processor_of);

  [[nodiscard]] std::size_t count() const { return place.size(); }
  /// Returns the processor of each task.
  [[nodiscard]] std::vector<ProcessorId> processors() const;
};

/// Returns a graph with a task for each group, with the work of all its tasks, and an edge between two groups
/// with all data that they exchange, from the lower group to the higher one. Directions are dropped, since
/// groups may depend on each other in cycles. O(n P + m log m), P only with a table of times.
[[nodiscard]] TaskGraph exchanges_of_groups(const TaskGraph& graph, std::span<const std::uint32_t> group_of,
                                            std::size_t count);

}  // namespace takt::schedulers
