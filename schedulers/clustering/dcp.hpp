#pragma once
/// DCP, dynamic critical path scheduling.
///
/// * Paper: Y.-K. Kwok, I. Ahmad, "Dynamic critical-path scheduling: an effective technique for
///   allocating task graphs to multiprocessors", IEEE Transactions on Parallel and Distributed Systems
///   7(5), 1996.
/// * Next task: the smallest difference between absolute latest and absolute earliest start.
/// * Processor: among those of its parents and children and a new one the one with the least sum of its
///   start there and that of its critical child, the unplaced child with the smallest such difference,
///   if this followed it there. A slot is sought that pushes no task; if there is none, one that pushes
///   later tasks no further than to their latest starts. Then all levels are computed anew.
/// * Ties: the earlier absolute earliest start, then the lower task id; the older processor.
/// * Complexity: O(n (n + m)) time (paper: O(n^3)), O(n + m) memory.

#include "schedulers/clustering/clustering.hpp"
#include "schedulers/delay/delay_model.hpp"
#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

/// The clusters, for an unbounded number of processors.
[[nodiscard]] Clustering dcp(const DelayModel& model, const Options& options);
/// The clusters brought to the machine's processors.
[[nodiscard]] Schedule dcp(const TaskGraph& graph, const logp::Machine& machine, const Options& options);

}  // namespace takt::schedulers
