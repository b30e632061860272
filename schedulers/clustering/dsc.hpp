#pragma once
/// DSC, dominant sequence clustering.
///
/// * Paper: T. Yang, A. Gerasoulis, "DSC: scheduling parallel tasks on an unbounded number of processors",
///   IEEE Transactions on Parallel and Distributed Systems 5(9), 1994.
/// * Next task: the free one (all parents examined) with the highest t-level + b-level, where the t-level
///   follows from the examined parents and the b-level from the input graph. It joins the cluster of a parent
///   if that lowers its start. Parents whose data would still arrive last may move to the end of that cluster
///   too, latest arrival first, if nothing else depends on them and they are last in their clusters. Two
///   clusters are tried: that of the parent whose data arrives last, and that of the first parent in this
///   order that cannot move.
/// * Guard (DSRW): suppose a task with unexamined parents has a higher priority, and joining the cluster of
///   its latest parent would lower its t-level. Then the next task joins that cluster only if this remains
///   possible.
/// * Ties: the lower task id.
/// * Complexity: O((n + m) log (n + m)) time (paper: O((n + m) log n)), O(n + m) memory.

#include "schedulers/clustering/clustering.hpp"
#include "schedulers/delay/delay_model.hpp"
#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

/// Returns the clusters, for an unbounded number of processors.
[[nodiscard]] Clustering dsc(const DelayModel& model, const Options& options);
/// Returns the clusters' schedule on the machine's processors.
[[nodiscard]] Schedule dsc(const TaskGraph& graph, const logp::Machine& machine, const Options& options);

}  // namespace takt::schedulers
