#pragma once
/// BSA, bubble scheduling and allocation.
///
/// * Paper: Y.-K. Kwok, I. Ahmad, "Bubble scheduling: a quasi dynamic algorithm for static allocation of
///   tasks to parallel architectures", Symposium on Parallel and Distributed Processing, 1995.
/// * Serial order: the tasks of the critical path in order, each preceded by its remaining ancestors, those
///   of higher b-level first, of equal ones those of smaller t-level; then the other tasks by falling
///   b-level.
/// * All tasks begin on the processor with the most neighbours. Each processor in breadth-first order from
///   there becomes the pivot: the schedule is rebuilt in serial order, each task in the first idle interval
///   of its processor that holds it and its messages routed over the links. A task of the pivot moves to the
///   neighbour with its earliest end, if that is earlier, or at the same time and the parent whose data
///   arrives last is there.
/// * The paper has one pass over the pivots. Here passes repeat until no task moves, at most `effort` times
///   (32; without it, no new pass after 200,000 placed tasks). Then joint passes follow, up to `effort` and
///   up to four without a shorter schedule: in the order of their current b-levels, tasks move from neighbour
///   to neighbour as long as they end earlier. With single pivots tasks reach far processors of a large
///   machine late or never. A joint pass takes the time of one pivot, and its new order escapes schedules in
///   which no single task can improve. The shortest schedule of all passes and of all tasks on the pivot is
///   kept.
/// * Ties: the lower task id, the lower processor id.
/// * Complexity: O((P + N) (n + m) D h) time a pass over the pivots, O(N D (n + m) D h) a joint one, N the
///   most neighbours, D the diameter and h the time of a hop, see LinkTraffic (paper: O(n^2 m P)); O(n + m D
///   + P^2) memory.

#include "schedulers/delay/delay_model.hpp"
#include "schedulers/network/routed_schedule.hpp"
#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

/// Returns the algorithm's decisions, with its own times for the messages on the links.
[[nodiscard]] RoutedTimetable bsa(const DelayModel& model, const logp::Machine& machine,
                                  const Options& options);
[[nodiscard]] Schedule bsa(const TaskGraph& graph, const logp::Machine& machine, const Options& options);

}  // namespace takt::schedulers
