#pragma once
/// LC, linear clustering.
///
/// * Paper: S. J. Kim, J. C. Browne, "A general approach to mapping of parallel computation upon
///   multiprocessor architectures", International Conference on Parallel Processing, 1988.
/// * The longest path of the tasks without a cluster becomes the next cluster, until every task has one. A
///   path leads from a task without parents among these to one without children among them.
/// * Ties: the path that begins with the lower task id; at each further step, the lower task id.
/// * Complexity: O(n (n + m)) time (as in the paper), mostly far less: path lengths only decrease, so earlier
///   ones bound the longest path, and only tasks that could be on it are examined again. While these are most
///   tasks, as in wide random graphs, a sweep over all replaces that. O(n + m) memory.

#include "schedulers/clustering/clustering.hpp"
#include "schedulers/delay/delay_model.hpp"
#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

/// Returns the clusters, for an unbounded number of processors.
[[nodiscard]] Clustering lc(const DelayModel& model, const Options& options);
/// Returns the clusters' schedule on the machine's processors.
[[nodiscard]] Schedule lc(const TaskGraph& graph, const logp::Machine& machine, const Options& options);

}  // namespace takt::schedulers
