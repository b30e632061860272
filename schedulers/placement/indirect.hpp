#pragma once
/// Indirect mapping: maps schedules for fully connected processors to a network.
///
/// Most schedulers ignore the network, and those that use it decide for each task once. The tasks that such a
/// scheduler puts together, on a processor or in a cluster, are a group. Groups are then placed on the
/// network's processors by their communication, and their tasks are timed again with their messages on the
/// links.
///
/// Source: I. Ahmad, Y.-K. Kwok, M.-Y. Wu, W. Shu, "CASCH: a tool for computer-aided scheduling", IEEE
/// Concurrency 8(4), 2000, which maps the clusters and processors of its first two classes so ("indirect
/// mapping").

#include <vector>

#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

/// Returns processors by task, in a schedule of one copy; for a moldable task the last one of its group.
[[nodiscard]] std::vector<ProcessorId> processors_of(const TaskGraph& graph, const Schedule& schedule);

/// Returns a scheduler's schedule on the machine's network; without a network the same schedule, and for an
/// interaction graph, since its tasks have no order and its schedulers know the network.
/// `options.mapping` selects the method:
///
/// * none: unchanged; processor i of a scheduler without a network is processor i of the machine;
/// * astar, recursive_clustering, annealing: these algorithms for interacting tasks place the groups
///   (mapping/), with at most 200 steps or states per group and processor;
/// * best: the shortest of: the schedule as it is; all groups on the fastest processor for the graph; the
///   groups as recursive clustering places them; and each group where its first task ends first with its
///   messages routed. The best of them is improved by moving groups (routed_search.hpp) within a budget of
///   tasks and messages. If that is a tenth longer than tasks placed one by one, each with its earliest end,
///   these placements stay, up to some 100,000 tasks and messages, and single tasks are moved, too, in graphs
///   of at most some hundred tasks. So the result is never longer than all tasks on one processor.
///
/// A proven bound of the makespan is kept, and with `best` so is a guarantee. Moldable tasks get one
/// processor each if that is shorter than their groups, which no algorithm moves otherwise. Several groups
/// may share a processor. O((n log n + m D h) trials), see routed_search.hpp.
[[nodiscard]] Schedule put_on_network(const TaskGraph& graph, const logp::Machine& machine, Schedule schedule,
                                      const Options& options);

/// Returns a scheduler's schedule on the machine's network.
template <SchedulerFunction scheduler>
[[nodiscard]] Schedule on_network(const TaskGraph& graph, const logp::Machine& machine,
                                  const Options& options) {
  return put_on_network(graph, machine, scheduler(graph, machine, options), options);
}

}  // namespace takt::schedulers
