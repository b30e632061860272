#pragma once
/// MD, mobility directed scheduling.
///
/// * Paper: M.-Y. Wu, D. D. Gajski, "Hypertool: a programming aid for message-passing systems", IEEE
///   Transactions on Parallel and Distributed Systems 1(3), 1990.
/// * Next task: the smallest relative mobility, (latest start - earliest start) / duration; of equal ones a
///   task without a parent among them.
/// * Processor: the first one with a slot in which the task does not make the critical path longer; later
///   tasks there may be delayed up to their latest starts. A new one if there is none. Then all levels are
///   recomputed, with edges within a processor zeroed and the tasks of a processor in sequence.
/// * Ties: the lower task id.
/// * Complexity: O(n (n + m)) time (paper: O(n^3)), O(n + m) memory.

#include "schedulers/clustering/clustering.hpp"
#include "schedulers/delay/delay_model.hpp"
#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

/// Returns the clusters, for an unbounded number of processors.
[[nodiscard]] Clustering md(const DelayModel& model, const Options& options);
/// Returns the clusters' schedule on the machine's processors.
[[nodiscard]] Schedule md(const TaskGraph& graph, const logp::Machine& machine, const Options& options);

}  // namespace takt::schedulers
