#pragma once
/// ISH, insertion scheduling heuristic.
///
/// * Paper: B. Kruatrachue, T. G. Lewis, "Grain size determination for parallel processing", IEEE Software
///   5(1), 1988.
/// * Next task and processor: as HLFET. If the task leaves a hole on its processor, ready tasks fill the
///   hole, front to back, in order of their static levels, each at the arrival of its data. A task must fit,
///   and must not be able to start earlier after all tasks of another processor.
/// * Ties: the lower task id, the lower processor id.
/// * Complexity: O((n + ready tasks that may fit a hole) (log n + P) + m P) time (paper: O(n^2)), O(n + m)
///   memory.

#include "schedulers/delay/delay_model.hpp"
#include "schedulers/delay/timetable.hpp"
#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

/// Returns the algorithm's timetable under the delay model.
[[nodiscard]] Timetable ish(const DelayModel& model, const Options& options);
[[nodiscard]] Schedule ish(const TaskGraph& graph, const logp::Machine& machine, const Options& options);

}  // namespace takt::schedulers
