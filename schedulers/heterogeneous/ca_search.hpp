#pragma once
/// CA-search: shorter schedules under contention on channels or links.
///
/// * It begins with the schedules of MH (which is CA-list, see ca_list.hpp), DLS-APN, BU and BSA after the
///   mapping (placement/indirect.hpp), with the processors of HEFT, with the clusters of DSC, placed by
///   routes and improved as groups (placement/routed_search.hpp), and with all tasks on one processor.
/// * The best two placements are then improved by moving single tasks, each with half of the rest of
///   `effort`, counted in tasks and messages placed in trials (2^21; a quarter is for the clusters).
/// * The shortest of all schedules is kept, so that it is never worse than its starts: the list algorithms
///   decide for a task once, when its children are not placed yet.
/// * Ties: the first, in the order above.
/// * Complexity: that of its starts, and O(n log n + m D h) a trial; O(n + m D + P^2) memory.
/// * Source: takt; list scheduling on given processors as in CA-list, moves as in iterative improvement.

#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

[[nodiscard]] Schedule ca_search(const TaskGraph& graph, const logp::Machine& machine,
                                 const Options& options);

}  // namespace takt::schedulers
