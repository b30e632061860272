#pragma once
/// CA-list, list scheduling with communication awareness.
///
/// * Paper: Y. Ruan, G. Liu, J. Han, Q. Li, "Communication-aware scheduling algorithm based on
///   heterogeneous computing systems", International Conference on Computational Science, 2007. Its model is
///   the machine `contention:`, where all messages to a processor come one after the other.
/// * Next task: the ready one with the highest b-level.
/// * Processor: the one on which it ends first after all tasks there, when its messages, in ascending order
///   of their senders' ends, take its channel as it is taken by then, each the first time that is free for
///   long enough.
/// * With messages on links, this is what MH does (network/mh.hpp), seventeen years before: the paper's own
///   are the model and what it shows of heuristics that ignore it. So are its schedules the same, on any
///   machine, and what it decides is what the schedule is, under the machine's own rules.
/// * Ties: the lower task id, of senders as of tasks; the lower processor id.
/// * Complexity: O(n log n + m P D h) time, see network/mh.hpp.

#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

[[nodiscard]] Schedule ca_list(const TaskGraph& graph, const logp::Machine& machine, const Options& options);

}  // namespace takt::schedulers
