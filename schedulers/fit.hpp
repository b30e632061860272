#pragma once
/// Checks whether a graph and a machine fit together.

#include "core/graphs/task_graph.hpp"
#include "logp/machine.hpp"

namespace takt::schedulers {

/// Returns an upper bound of all work on the slowest processor plus a message for every edge, including the
/// links of a network.
[[nodiscard]] double largest_total_time(const TaskGraph& graph, const logp::Machine& machine);

/// Returns the number of frames that can be combined in one graph without overflow of its times.
[[nodiscard]] double most_frames_in_sum(const TaskGraph& graph, const logp::Machine& machine);

/// Throws ConfigError if graph and machine do not fit: if the graph's
/// work table has fewer columns than there are processors, or if sums of
/// times could overflow (a largest total time of more than 1e18 ticks).
void check_fit(const TaskGraph& graph, const logp::Machine& machine);

}  // namespace takt::schedulers
