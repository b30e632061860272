#pragma once
/// HLFET, highest level first with estimated times.
///
/// * Paper: T. L. Adam, K. M. Chandy, J. R. Dickson, "A comparison of list schedules for parallel
///   processing systems", Communications of the ACM 17(12), 1974.
/// * Next task: the ready one with the highest static level.
/// * Processor: the one on which it starts first after all tasks there.
/// * Ties: the lower task id, the lower processor id.
/// * Complexity: O(n log n + m P) time (paper: O(n^2)), O(n + m) memory.

#include "schedulers/delay/delay_model.hpp"
#include "schedulers/delay/timetable.hpp"
#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

/// Returns the algorithm's timetable under the delay model.
[[nodiscard]] Timetable hlfet(const DelayModel& model, const Options& options);
[[nodiscard]] Schedule hlfet(const TaskGraph& graph, const logp::Machine& machine, const Options& options);

}  // namespace takt::schedulers
