#pragma once
/// BU, bottom-up.
///
/// * Paper: N. Mehdiratta, K. Ghose, "A bottom-up approach to task scheduling on distributed memory
///   multiprocessors", International Conference on Parallel Processing, 1994.
/// * The tasks of the critical path go to the one processor with the least sum of their durations. The
///   others follow from the last layer up, in a layer by falling b-level with zeroed edges within a
///   processor, each to the processor that then finishes its work first. Then processors of one speed
///   exchange their nodes so that messages have similar, small hop counts (even_hops.hpp). Finally the tasks
///   run in the order of their b-levels, after all tasks on their processor, and the messages use the
///   shortest routes.
/// * Ties: the lower task id, the lower processor id.
/// * Complexity: O(n (P + log n) + m (D h + P) + P^2 D) time (paper: O(n^2 log n)), D the diameter and h the
///   time of a hop, see LinkTraffic; O(n + m D + P^2) memory.

#include "schedulers/delay/delay_model.hpp"
#include "schedulers/network/routed_schedule.hpp"
#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

/// Returns the algorithm's decisions, with its own times for the messages on the links.
[[nodiscard]] RoutedTimetable bu(const DelayModel& model, const logp::Machine& machine,
                                 const Options& options);
[[nodiscard]] Schedule bu(const TaskGraph& graph, const logp::Machine& machine, const Options& options);

}  // namespace takt::schedulers
