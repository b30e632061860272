#pragma once
/// MH, mapping heuristic.
///
/// * Paper: H. El-Rewini, T. G. Lewis, "Scheduling parallel program tasks onto arbitrary target machines",
///   Journal of Parallel and Distributed Computing 9(2), 1990.
/// * Next task: the ready one with the highest b-level.
/// * Processor: the one on which it ends first after all tasks there, with its messages routed over the
///   current free times of the links.
/// * Ties: the lower task id, the lower processor id.
/// * Complexity: O(n log n + m P D h) time (paper: O(n P^3)), D the diameter and h the time of a hop, see
///   LinkTraffic; O(n + m D + P^2) memory.

#include "schedulers/delay/delay_model.hpp"
#include "schedulers/network/routed_schedule.hpp"
#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

/// Returns the algorithm's decisions, with its own times for the messages on the links.
[[nodiscard]] RoutedTimetable mh(const DelayModel& model, const logp::Machine& machine,
                                 const Options& options);
[[nodiscard]] Schedule mh(const TaskGraph& graph, const logp::Machine& machine, const Options& options);

}  // namespace takt::schedulers
