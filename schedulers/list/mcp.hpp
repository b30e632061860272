#pragma once
/// MCP, modified critical path.
///
/// * Paper: M.-Y. Wu, D. D. Gajski, "Hypertool: a programming aid for message-passing systems", IEEE
///   Transactions on Parallel and Distributed Systems 1(3), 1990; the lists as in Y.-K. Kwok, I. Ahmad,
///   "Static scheduling algorithms for allocating directed task graphs to multiprocessors", ACM
///   Computing Surveys 31(4), 1999.
/// * Next task: by a static list, ascending in lexicographic order of (the task's ALAP time, the ALAP
///   times of its children in descending order).
/// * Processor: the one on which it starts first, between other tasks where it fits.
/// * Ties: the lower task id, the lower processor id.
/// * Complexity: O(m (log m + P) + n P log n) time (paper: O(n^2 log n)), O(n + m) memory.

#include "schedulers/delay/delay_model.hpp"
#include "schedulers/delay/timetable.hpp"
#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

/// Returns the algorithm's timetable under the delay model.
[[nodiscard]] Timetable mcp(const DelayModel& model, const Options& options);
[[nodiscard]] Schedule mcp(const TaskGraph& graph, const logp::Machine& machine, const Options& options);

}  // namespace takt::schedulers
