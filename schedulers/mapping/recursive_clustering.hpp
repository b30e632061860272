#pragma once
/// Recursive clustering, for mapping task interaction graphs.
///
/// * Paper: after N. S. Bowen, C. N. Nikolaou, A. Ghafoor, "On the assignment problem of arbitrary process
///   systems to heterogeneous distributed computer systems", IEEE Transactions on Computers 41(3), 1992,
///   which clusters tasks and processors into hierarchies and maps one onto the other.
/// * Processors are recursively halved into near ones; the tasks follow, by shares of the halves' speeds. The
///   clusters that exchange the most are joined as long as the work is within a limit, repeatedly, until none
///   can be. Then each cluster, by falling work, goes to the half with which it exchanges more, or to the
///   other one if that has no room.
/// * Limits of a whole, a half, a quarter, an eighth and a sixteenth of the smaller half's share are tried,
///   and all tasks on one processor. In each result single tasks move while that lowers the largest load, or
///   the sum of all; the best is kept.
/// * Ties: the lower task id, the lower processor id, the larger limit.
/// * Complexity: O(m log n log P) and the moves, O(m (degree + P)) a pass of at most 20; O(n + m + P^2)
///   memory.

#include "schedulers/mapping/interaction_graph.hpp"
#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

/// Returns the processor of each task.
[[nodiscard]] std::vector<ProcessorId> recursive_clustering(const InteractionGraph& graph,
                                                            const Options& options);
[[nodiscard]] Schedule recursive_clustering(const TaskGraph& graph, const logp::Machine& machine,
                                            const Options& options);

}  // namespace takt::schedulers
