#pragma once
/// What a processor has at least that does not both receive and send.

#include <cstddef>
#include <span>
#include <vector>

#include "core/graphs/task_graph.hpp"

namespace takt::schedulers {

/// For each task the time of all that it depends on, or of all that depends on it, itself included, whichever
/// is less: who has the task and less than that receives a message, and sends one. O(n (n + m)).
[[nodiscard]] std::vector<std::size_t> closure_times(const TaskGraph& graph,
                                                     std::span<const std::size_t> times);

}  // namespace takt::schedulers
