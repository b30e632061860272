#pragma once
/// `exact_fo`: the highest frequency of one copy of a small graph, with proof.
///
/// Begins with what optfo finds, then closes the gap to the lower bound from both sides, as far as needed:
///
/// 1. no schedule at all is faster than the best way to share out the tasks with the least messages that this
///    takes (assignment_bound.hpp);
/// 2. no relay chain is faster: dynamic programming over the graph's lower sets (lower_set_search.hpp), for
/// any
///    speeds, overheads and gaps;
/// 3. no schedule at all is faster: all assignments and orders, with processors that wait for each other in
///    turn, where messages occupy nobody (o = g = 0, any latency; exact_packings.hpp); with all messages,
///    too, direct and relayed, where they do (exact_messages.hpp, for up to five processors).
///
/// The schedule is `optimal` when its period is the bound of all schedules (among those of one copy, where
/// tasks are stateless), and otherwise says that it is among relay chains when 2 has finished. 2 and 3 ask
/// for one period after the other, by bisection. All schedules are those in which a processor ends a frame
/// before it begins the next one, as the thesis has it; several frames side by side may have a smaller period
/// where tasks have state, too (docs/decisions/0112-bounds-name-their-class.md).
///
/// Options::effort counts the assignments, lower sets, partial schedules, messages and orders looked at, some
/// seconds by default (of partial schedules where messages occupy nobody a quarter, for each takes longer);
/// when it is used up, the best schedule found and the best bound stand. Exponential: 3
/// serves some 10 to 15 tasks, 2 some 30 to 100 tasks of narrow graphs.

#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

/// `starts`: those of optfo.
[[nodiscard]] Schedule exact_fo(const TaskGraph& graph, const logp::Machine& machine, const Options& options,
                                const FrequencyStarts& starts);

}  // namespace takt::schedulers
