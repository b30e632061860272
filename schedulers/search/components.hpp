#pragma once
/// Weakly connected components of a graph.

#include <cstdint>
#include <vector>

#include "core/graphs/task_graph.hpp"

namespace takt::schedulers {

/// The weakly connected components of a graph.
struct Components {
  /// Per task, numbered from 0 in the order of their first tasks.
  std::vector<std::uint32_t> of;
  std::size_t count = 0;
};

/// O(n + m log n), in practice one pass over the edges in their stored order.
[[nodiscard]] Components connected_components(const TaskGraph& graph);

}  // namespace takt::schedulers
