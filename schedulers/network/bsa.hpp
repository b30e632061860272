#pragma once
/// BSA, bubble scheduling and allocation.
///
/// * Paper: Y.-K. Kwok, I. Ahmad, "Bubble scheduling: a quasi dynamic algorithm for static allocation of
///   tasks to parallel architectures", Symposium on Parallel and Distributed Processing, 1995.
/// * Serial order: the tasks of the critical path in order, each preceded by the tasks that it still depends
///   on, those of higher b-level first, of equal ones those of smaller t-level; then the others by falling
///   b-level.
/// * All tasks begin on the pivot, the processor with the most neighbours. Each processor in breadth-first
///   order from there has a turn: the schedule is made anew in serial order, each task in the first idle
///   interval of its processor that holds it and its messages routed over the links; but a task of the
///   processor whose turn it is moves to the neighbour where it ends first, if that is earlier, or at the
///   same time and the parent whose data comes last is there.
/// * The paper gives every processor one turn. Here they get further ones until no task moves any more, at
///   most `effort` (32; without it, no new round after 200,000 placed tasks), and then as many common ones,
///   up to four in which the schedule gets no shorter: in the order of the b-levels that tasks have where
///   they are, each goes on from neighbour to neighbour as long as it ends earlier. In turns of their own
///   tasks reach far processors of a large machine late or never; a common one takes the time of one of
///   those, and the new order leads out of schedules in which no task alone can do better. The shortest
///   schedule is kept, of all turns and of all tasks on the pivot.
/// * Ties: the lower task id, the lower processor id.
/// * Complexity: O((P + N) (n + m) D h) time a round of turns, O(N D (n + m) D h) a common one, N the most
///   neighbours, D the diameter and h what a hop takes, see LinkTraffic (paper: O(n^2 m P));
///   O(n + m D + P^2) memory.

#include "schedulers/delay/delay_model.hpp"
#include "schedulers/network/routed_schedule.hpp"
#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

/// What the algorithm decides, with its own times for the messages on the links.
[[nodiscard]] RoutedTimetable bsa(const DelayModel& model, const logp::Machine& machine,
                                  const Options& options);
[[nodiscard]] Schedule bsa(const TaskGraph& graph, const logp::Machine& machine, const Options& options);

}  // namespace takt::schedulers
