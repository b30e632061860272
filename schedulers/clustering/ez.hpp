#pragma once
/// EZ, edge zeroing.
///
/// * Paper: V. Sarkar, "Partitioning and scheduling parallel programs for multiprocessors", MIT Press,
///   1989.
/// * Edges are examined by falling delay. The clusters at the ends of an edge are merged, which zeroes the
///   edge, unless that makes the schedule longer; the tasks of a cluster run in the order of their b-levels
///   in the input graph.
/// * Ties: edges by the ids of their first, then second task; tasks by their ids.
/// * Complexity: O(m (n + m)) time (as in the paper), mostly far less: a trial begins at the first task
///   that it can change and ends as soon as the schedule must become longer. O(n + m) memory.

#include "schedulers/clustering/clustering.hpp"
#include "schedulers/delay/delay_model.hpp"
#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

/// Returns the clusters, for an unbounded number of processors.
[[nodiscard]] Clustering ez(const DelayModel& model, const Options& options);
/// Returns the clusters' schedule on the machine's processors.
[[nodiscard]] Schedule ez(const TaskGraph& graph, const logp::Machine& machine, const Options& options);

}  // namespace takt::schedulers
