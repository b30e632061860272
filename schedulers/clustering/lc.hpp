#pragma once
/// LC, linear clustering.
///
/// * Paper: S. J. Kim, J. C. Browne, "A general approach to mapping of parallel computation upon
///   multiprocessor architectures", International Conference on Parallel Processing, 1988.
/// * The longest path of the tasks that are in no cluster yet becomes the next cluster, until all are
///   in one. A path leads from a task without parents among these to one without children among them.
/// * Ties: the path that begins with the lower task id; at each step on, the lower task id.
/// * Complexity: O(n (n + m)) time (as in the paper), mostly far less: path lengths only fall, so those
///   known from before bound the longest path, and only tasks that could lie on it are looked at again; while
///   those are most tasks, as on wide random graphs, all are swept over instead. O(n + m) memory.

#include "schedulers/clustering/clustering.hpp"
#include "schedulers/delay/delay_model.hpp"
#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

/// The clusters, for an unbounded number of processors.
[[nodiscard]] Clustering lc(const DelayModel& model, const Options& options);
/// The clusters brought to the machine's processors.
[[nodiscard]] Schedule lc(const TaskGraph& graph, const logp::Machine& machine, const Options& options);

}  // namespace takt::schedulers
