#pragma once
/// Least work of a processor that does not both receive and send.

#include <cstddef>
#include <span>
#include <vector>

#include "core/graphs/task_graph.hpp"

namespace takt::schedulers {

/// Returns for each task the time of all its ancestors, or of all its descendants, itself included, whichever
/// is less. A processor with the task and less work receives and sends. O(n (n + m)).
[[nodiscard]] std::vector<std::size_t> closure_times(const TaskGraph& graph,
                                                     std::span<const std::size_t> times);

}  // namespace takt::schedulers
