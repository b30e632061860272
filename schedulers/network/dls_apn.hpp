#pragma once
/// DLS for arbitrary processor networks.
///
/// * Paper: G. C. Sih, E. A. Lee, "A compile-time scheduling heuristic for interconnection-constrained
///   heterogeneous processor architectures", IEEE Transactions on Parallel and Distributed Systems 4(2),
///   1993.
/// * Next task and processor: of all pairs of a ready task and a processor the one with the highest dynamic
///   level, as in DLS, with the messages of the task routed over the current free times of the links. Levels
///   almost never rise as processors and links fill up, so a pair is evaluated again only when it is the best
///   by its last level. With thousands of ready tasks on shared links, nearly all pairs would be evaluated
///   for each task: after 2^27 / (n + m) evaluations the best of these is chosen.
/// * Ties: the lower task id, the lower processor id.
/// * Complexity: O(k D h) time for k messages of evaluated pairs, D the diameter and h the time of a hop, see
///   LinkTraffic; k is between m P and about m P + 2^27 (paper: O(n^3 P D)). O(ready tasks * P + m D + P^2)
///   memory.

#include "schedulers/delay/delay_model.hpp"
#include "schedulers/network/routed_schedule.hpp"
#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

/// Returns the algorithm's decisions, with its own times for the messages on the links.
[[nodiscard]] RoutedTimetable dls_apn(const DelayModel& model, const logp::Machine& machine,
                                      const Options& options);
[[nodiscard]] Schedule dls_apn(const TaskGraph& graph, const logp::Machine& machine, const Options& options);

}  // namespace takt::schedulers
