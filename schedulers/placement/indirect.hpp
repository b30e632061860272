#pragma once
/// Indirect mapping: schedules made for processors that all reach each other, put onto a network.
///
/// Most schedulers know no network, and those that do decide for each task once and for all. The tasks that
/// such a one puts together, on a processor or in a cluster, are a group; groups are then placed on the
/// network's processors by what they say to each other, and their tasks timed anew with their messages on the
/// links.
///
/// Source: I. Ahmad, Y.-K. Kwok, M.-Y. Wu, W. Shu, "CASCH: a tool for computer-aided scheduling", IEEE
/// Concurrency 8(4), 2000, which maps the clusters and processors of its first two classes so ("indirect
/// mapping").

#include <vector>

#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

/// By task, in a schedule of one copy of the graph; of a moldable task the last one of its group.
[[nodiscard]] std::vector<ProcessorId> processors_of(const TaskGraph& graph, const Schedule& schedule);

/// A scheduler's schedule on the machine's network; the same schedule on a machine without. `options.mapping`
/// says how:
///
/// * none: as it is; processor i of a scheduler that knows no network is processor i of the machine;
/// * astar, recursive_clustering, annealing: groups go where these algorithms of tasks that interact put them
///   (mapping/), each time with 200 steps or states a group at most for every processor;
/// * best: the shortest of: the schedule as it is; all groups on the processor that does all in the least
///   time; where recursive clustering puts them; and where each group's first task ends first with its
///   messages routed. The best of them is improved by moving groups (routed_search.hpp) within a budget of
///   tasks and messages. Where that is a tenth longer than tasks placed one by one, each where it ends first,
///   they stay so, up to some 100,000 tasks and messages, and single tasks are moved, too, of graphs of some
///   hundred tasks at most. So it is never longer than everything on one processor.
///
/// A proven bound of the makespan is kept, and so is a guarantee by `best`. Moldable tasks come to one
/// processor each where that is shorter than their groups, which no algorithm moves otherwise. Several groups
/// may come to one processor. O((n log n + m D h) trials), see routed_search.hpp.
[[nodiscard]] Schedule put_on_network(const TaskGraph& graph, const logp::Machine& machine, Schedule schedule,
                                      const Options& options);

/// A scheduler's schedule on the machine's network.
template <SchedulerFunction scheduler>
[[nodiscard]] Schedule on_network(const TaskGraph& graph, const logp::Machine& machine,
                                  const Options& options) {
  return put_on_network(graph, machine, scheduler(graph, machine, options), options);
}

}  // namespace takt::schedulers
