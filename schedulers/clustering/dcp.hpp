#pragma once
/// DCP, dynamic critical path scheduling.
///
/// * Paper: Y.-K. Kwok, I. Ahmad, "Dynamic critical-path scheduling: an effective technique for
///   allocating task graphs to multiprocessors", IEEE Transactions on Parallel and Distributed Systems
///   7(5), 1996.
/// * Next task: the smallest difference between absolute latest and absolute earliest start.
/// * Processor: one of those of its parents and children, or a new one, with the least sum of its start
///   and that of its critical child on the same processor. The critical child is the unplaced one with
///   the smallest such difference. The slot delays no task if possible, otherwise later tasks no further
///   than to their latest starts. Then all levels are recomputed.
/// * Ties: the earlier absolute earliest start, then the lower task id; the older processor.
/// * Complexity: O(n (n + m)) time (paper: O(n^3)), O(n + m) memory.

#include "schedulers/clustering/clustering.hpp"
#include "schedulers/delay/delay_model.hpp"
#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

/// Returns the clusters, for an unbounded number of processors.
[[nodiscard]] Clustering dcp(const DelayModel& model, const Options& options);
/// Returns the clusters' schedule on the machine's processors.
[[nodiscard]] Schedule dcp(const TaskGraph& graph, const logp::Machine& machine, const Options& options);

}  // namespace takt::schedulers
