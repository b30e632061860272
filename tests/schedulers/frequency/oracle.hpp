#pragma once
/// Exhaustive searches for the least period of tiny graphs. They share no code with the schedulers.

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/graphs/task_graph.hpp"
#include "core/random.hpp"
#include "logp/machine.hpp"
#include "logp/timing.hpp"

namespace takt::schedulers::oracle {

/// Returns the least period of any schedule of one copy of the graph, with messages that take time but occupy
/// no processor (o = g = 0): every assignment, and every order of the tasks of each processor, including idle
/// time. Meant for up to six tasks.
[[nodiscard]] std::int64_t least_period_without_overheads(const TaskGraph& graph,
                                                          const logp::Machine& machine);

/// Returns whether any schedule of one copy has at most this period: every sequence of computations, sends of
/// any available data to any other processor, and receives, on every processor, timed by Bellman-Ford. The
/// network's capacity is ignored. Meant for up to five tasks on two processors, four on three.
[[nodiscard]] bool has_schedule_within(const TaskGraph& graph, const logp::Machine& machine,
                                       std::int64_t period);

/// Returns the least, over all assignments, of the largest work + send + receive of a processor, with one
/// message of all outgoing and one of all incoming data.
[[nodiscard]] std::int64_t least_share(const TaskGraph& graph, const logp::Machine& machine);

/// Calls visit(allocation) for every assignment and every order of each processor's tasks.
void for_each_allocation(const TaskGraph& graph, std::size_t processors,
                         const std::function<void(const logp::Allocation&)>& visit);

/// Returns the least period of any relay chain: every assignment of the tasks to the processors, in every
/// order of the processors, such that data only move down the chain, with one message per boundary.
[[nodiscard]] std::int64_t least_period_relay(const TaskGraph& graph, const logp::Machine& machine);

/// Returns the least period of a relay chain over the processors 1, 2, ... in this order of the tasks.
[[nodiscard]] std::int64_t least_period_of_order(const TaskGraph& graph, const logp::Machine& machine,
                                                 const std::vector<TaskId>& order);

/// Returns a random graph: each pair of tasks i < j has an edge with this probability in percent; work
/// least_work..most_work, data 1..most_data, and some tasks send the same datum to several others.
[[nodiscard]] TaskGraph random_graph(Random& random, std::size_t tasks, std::uint64_t edge_percent,
                                     std::int64_t most_work, std::int64_t most_data = 1,
                                     std::int64_t least_work = 1);

/// Returns the same graph in which about half of the tasks are stateless.
[[nodiscard]] TaskGraph with_stateless_tasks(Random& random, const TaskGraph& graph);

/// Returns processors at random positions in three nodes of two clusters, some of them twice as fast;
/// messages cost more from level to level.
[[nodiscard]] logp::Machine random_levels(Random& random, std::size_t processors);

/// Returns the same processors and links renumbered: the first one becomes new_numbers[0].
[[nodiscard]] logp::Machine renumbered(const logp::Machine& machine,
                                       const std::vector<std::size_t>& new_numbers);

/// Returns the same graph with every second task, at random, stateless.
[[nodiscard]] TaskGraph with_some_stateless(const TaskGraph& graph, Random& random);

}  // namespace takt::schedulers::oracle
