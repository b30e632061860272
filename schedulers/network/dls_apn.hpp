#pragma once
/// DLS for arbitrary processor networks.
///
/// * Paper: G. C. Sih, E. A. Lee, "A compile-time scheduling heuristic for interconnection-constrained
///   heterogeneous processor architectures", IEEE Transactions on Parallel and Distributed Systems 4(2),
///   1993.
/// * Next task and processor: of all pairs of a ready task and a processor the one with the highest dynamic
///   level, as in DLS, when the messages of the task are routed over the links as they are taken by then.
///   Levels hardly ever rise as processors and links fill up, so a pair is only looked at again when it is
///   the best by its last level. Where thousands of ready tasks share links, nearly all pairs would be looked
///   at for each task: after 2^27 / (n + m) the best of those is taken.
/// * Ties: the lower task id, the lower processor id.
/// * Complexity: O(k D h) time for k messages of the pairs looked at, D the diameter and h what a hop takes,
///   see LinkTraffic; k is m P at least and about m P + 2^27 at most (paper: O(n^3 P D)). O(ready tasks * P +
///   m D + P^2) memory.

#include "schedulers/delay/delay_model.hpp"
#include "schedulers/network/routed_schedule.hpp"
#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

/// What the algorithm decides, with its own times for the messages on the links.
[[nodiscard]] RoutedTimetable dls_apn(const DelayModel& model, const logp::Machine& machine,
                                      const Options& options);
[[nodiscard]] Schedule dls_apn(const TaskGraph& graph, const logp::Machine& machine, const Options& options);

}  // namespace takt::schedulers
