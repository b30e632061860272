#pragma once
/// HEFT, heterogeneous earliest finish time.
///
/// * Paper: H. Topcuoglu, S. Hariri, M.-Y. Wu, "Performance-effective and low-complexity task scheduling
///   for heterogeneous computing", IEEE Transactions on Parallel and Distributed Systems 13(3), 2002.
/// * Next task: by falling upward rank.
/// * Processor: the one on which it ends first, between other tasks where it fits.
/// * Ties: the lower task id, the lower processor id.
/// * Complexity: O(n log n + m P + n P log n) time (paper: O(m P)), O(n + m) memory.

#include "schedulers/delay/delay_model.hpp"
#include "schedulers/delay/timetable.hpp"
#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

/// Returns the algorithm's timetable under the delay model.
[[nodiscard]] Timetable heft(const DelayModel& model, const Options& options);
[[nodiscard]] Schedule heft(const TaskGraph& graph, const logp::Machine& machine, const Options& options);

}  // namespace takt::schedulers
