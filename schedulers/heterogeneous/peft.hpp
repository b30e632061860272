#pragma once
/// PEFT, predict earliest finish time.
///
/// * Paper: H. Arabnejad, J. G. Barbosa, "List scheduling algorithm for heterogeneous systems by an
///   optimistic cost table", IEEE Transactions on Parallel and Distributed Systems 25(3), 2014.
/// * The optimistic cost of a task on a processor is the longest of the best paths from there to the exit,
///   after the task, with mean delays and every processor free.
/// * Next task: the ready one with the largest mean of its optimistic costs.
/// * Processor: the one with the least sum of the end there, between other tasks where it fits, and the
///   optimistic cost.
/// * Ties: the lower task id, the lower processor id.
/// * Complexity: O((n + m) P + n (log n + P log n)) time (paper: O(n^2 P)), O(n P) memory.

#include "schedulers/delay/delay_model.hpp"
#include "schedulers/delay/timetable.hpp"
#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

/// Returns the algorithm's timetable under the delay model.
[[nodiscard]] Timetable peft(const DelayModel& model, const Options& options);
[[nodiscard]] Schedule peft(const TaskGraph& graph, const logp::Machine& machine, const Options& options);

}  // namespace takt::schedulers
