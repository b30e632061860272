#pragma once
/// `exact_fo`: the highest frequency of a small graph, with proof.
///
/// Begins with the result of optfo, then closes the gap to the lower bound from both sides, as far as
/// needed:
///
/// 1. no schedule is faster than the best assignment with its least messages (assignment_bound.hpp);
/// 2. no relay chain is faster: dynamic programming over the graph's lower sets (lower_set_search.hpp), for
///    any speeds, overheads and gaps;
/// 3. no schedule is faster: all assignments and orders, with processors that wait for each other in
/// cycles,
///    for messages that occupy no processor (o = g = 0, any latency; exact_packings.hpp); with all messages,
///    direct and relayed, for those that do (exact_messages.hpp, for up to five processors).
///
/// If Options::frames admits them, pipelined schedules (pipelined_search.hpp) come after 1: one that meets
/// the bound ends the search. 2 and 3 are about schedules of one frame at a time, in which a processor ends a
/// frame before it begins the next one, as in the thesis.
///
/// The schedule is `optimal` if its period is the bound of all schedules; otherwise, if it is of one frame at
/// a time and 3 has finished, it is optimal among those, and if 2 has finished, among relay chains. 2 and 3
/// query one period after the other, by bisection (docs/decisions/0112-bounds-name-their-class.md).
///
/// Options::effort counts the examined assignments, lower sets, partial schedules, messages and orders,
/// some seconds by default (a quarter of it for partial schedules if messages occupy no processor, for each
/// takes longer). When it is spent, the result is the best schedule and the best bound found. Exponential:
/// 3 is practical for some 10 to 15 tasks, 2 for some 30 to 100 tasks of narrow graphs.

#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

/// `starts`: those of optfo.
[[nodiscard]] Schedule exact_fo(const TaskGraph& graph, const logp::Machine& machine, const Options& options,
                                const FrequencyStarts& starts);

}  // namespace takt::schedulers
