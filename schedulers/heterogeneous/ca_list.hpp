#pragma once
/// CA-list, list scheduling with communication awareness.
///
/// * Paper: Y. Ruan, G. Liu, J. Han, Q. Li, "Communication-aware scheduling algorithm based on
///   heterogeneous computing systems", International Conference on Computational Science, 2007. Its
///   model is the machine `contention:`, where all messages to a processor are received one after the
///   other.
/// * Next task: the ready one with the highest b-level.
/// * Processor: the one on which it ends first after all tasks there. Its messages, in ascending order
///   of their senders' ends, use the first long enough free interval of its channel.
/// * With messages on links, this is MH (network/mh.hpp), published seventeen years before: the paper
///   adds the model and its results about heuristics that ignore it. So the schedules are the same, on
///   any machine, and the decisions are the schedule, under the machine's own rules.
/// * Ties: the lower task id, of senders as of tasks; the lower processor id.
/// * Complexity: O(n log n + m P D h) time, see network/mh.hpp.

#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

[[nodiscard]] Schedule ca_list(const TaskGraph& graph, const logp::Machine& machine, const Options& options);

}  // namespace takt::schedulers
