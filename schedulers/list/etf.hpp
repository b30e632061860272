#pragma once
/// ETF, earliest time first.
///
/// * Paper: J.-J. Hwang, Y.-C. Chow, F. D. Anger, C.-Y. Lee, "Scheduling precedence graphs in systems
///   with interprocessor communication times", SIAM Journal on Computing 18(2), 1989.
/// * Next task and processor: of all pairs of a ready task and a processor the one with the earliest
///   start after all tasks there.
/// * Ties: the higher static level, the lower task id, the lower processor id.
/// * Complexity: O(n P log n + m P) time (paper: O(P n^2)), O(ready tasks * P) memory.

#include "schedulers/delay/delay_model.hpp"
#include "schedulers/delay/timetable.hpp"
#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

/// Returns the algorithm's timetable under the delay model.
[[nodiscard]] Timetable etf(const DelayModel& model, const Options& options);
[[nodiscard]] Schedule etf(const TaskGraph& graph, const logp::Machine& machine, const Options& options);

}  // namespace takt::schedulers
