#pragma once
/// CA-list, list scheduling with communication awareness.
///
/// * Paper: Y. Ruan, G. Liu, J. Han, Q. Li, "Communication-aware scheduling algorithm based on
///   heterogeneous computing systems", International Conference on Computational Science, 2007.
/// * Next task: the ready one with the highest b-level.
/// * Processor: the one on which it ends first after all tasks there, when its incoming communications
///   from other processors follow each other, in ascending order of the ends of their senders: each
///   begins when its sender and the one before it are done.
/// * Ties: the lower task id, of senders as of tasks; the lower processor id.
/// * Complexity: O(n log n + m (P + log m)) time, O(n + m) memory.

#include "schedulers/delay/delay_model.hpp"
#include "schedulers/delay/timetable.hpp"
#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

/// What the algorithm decides under the delay model.
[[nodiscard]] Timetable ca_list(const DelayModel& model, const Options& options);
[[nodiscard]] Schedule ca_list(const TaskGraph& graph, const logp::Machine& machine, const Options& options);

}  // namespace takt::schedulers
