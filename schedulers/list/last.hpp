#pragma once
/// LAST, localised allocation of static tasks.
///
/// * Paper: J. Baxter, J. H. Patel, "The LAST algorithm: a heuristic-based static task allocation
///   algorithm", International Conference on Parallel Processing, 1989.
/// * Next task: the ready one with the largest share of its edges' weight towards tasks that are placed.
///   A ready task has all its parents placed and no child, so the share never changes while it waits.
/// * Processor: the one on which it starts first after all tasks there.
/// * Ties: the higher static level, the lower task id, the lower processor id.
/// * Complexity: O(n log n + m P) time (paper: O(n (n + m))), O(n + m) memory.

#include "schedulers/delay/delay_model.hpp"
#include "schedulers/delay/timetable.hpp"
#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

/// Returns the algorithm's timetable under the delay model.
[[nodiscard]] Timetable last(const DelayModel& model, const Options& options);
[[nodiscard]] Schedule last(const TaskGraph& graph, const logp::Machine& machine, const Options& options);

}  // namespace takt::schedulers
