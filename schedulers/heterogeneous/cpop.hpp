#pragma once
/// CPOP, critical path on a processor.
///
/// * Paper: H. Topcuoglu, S. Hariri, M.-Y. Wu, "Performance-effective and low-complexity task scheduling for
///   heterogeneous computing", IEEE Transactions on Parallel and Distributed Systems 13(3), 2002.
/// * Next task: the ready one with the largest sum of upward and downward rank.
/// * The tasks of the critical path all run on the one processor with the least sum of their durations; every
///   other task runs where it ends first. Both are inserted between other tasks where they fit.
/// * Ties: the lower task id (also for the critical path), the lower processor id.
/// * Complexity: O(n log n + m P + n P log n) time (paper: O(m P)), O(n + m) memory.

#include "schedulers/delay/delay_model.hpp"
#include "schedulers/delay/timetable.hpp"
#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

/// Returns the algorithm's timetable under the delay model.
[[nodiscard]] Timetable cpop(const DelayModel& model, const Options& options);
[[nodiscard]] Schedule cpop(const TaskGraph& graph, const logp::Machine& machine, const Options& options);

}  // namespace takt::schedulers
