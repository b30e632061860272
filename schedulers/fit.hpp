#pragma once
/// Whether a graph and a machine go together.

#include "core/graphs/task_graph.hpp"
#include "logp/machine.hpp"

namespace takt::schedulers {

/// More than all work, on the slowest processor, and a message for every edge, on the links of a network,
/// too, take together.
[[nodiscard]] double largest_total_time(const TaskGraph& graph, const logp::Machine& machine);

/// How many frames of a graph can be one graph, and its times added.
[[nodiscard]] double most_frames_in_sum(const TaskGraph& graph, const logp::Machine& machine);

/// Throws ConfigError when graph and machine do not go together: when the graph's work table has fewer
/// columns than there are processors, or when times could become too large to add (a largest total time of
/// more than 1e18 ticks).
void check_fit(const TaskGraph& graph, const logp::Machine& machine);

}  // namespace takt::schedulers
