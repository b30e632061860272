#pragma once
/// DLS, dynamic level scheduling.
///
/// * Paper: G. C. Sih, E. A. Lee, "A compile-time scheduling heuristic for interconnection-constrained
///   heterogeneous processor architectures", IEEE Transactions on Parallel and Distributed Systems 4(2),
///   1993.
/// * Next task and processor: of all pairs of a ready task and a processor the one with the highest
///   dynamic level, which is static level - start after all tasks there + (mean duration - duration
///   there); the last term, 0 on equal processors, is the paper's preference for the processors that are
///   fast for the task, with the mean in place of the median.
/// * Ties: the lower task id, the lower processor id.
/// * Complexity: O(n P log n + m P) time (paper: O(P n^3)), O(ready tasks * P) memory.

#include "schedulers/delay/delay_model.hpp"
#include "schedulers/delay/timetable.hpp"
#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

/// Returns the algorithm's timetable under the delay model.
[[nodiscard]] Timetable dls(const DelayModel& model, const Options& options);
[[nodiscard]] Schedule dls(const TaskGraph& graph, const logp::Machine& machine, const Options& options);

}  // namespace takt::schedulers
