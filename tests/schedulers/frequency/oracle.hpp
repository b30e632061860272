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

/// The least period of any schedule of one copy of the graph where messages take time but occupy nobody (o =
/// g = 0): every assignment, every order of the tasks of each processor, blank time included. Meant for up to
/// six tasks.
[[nodiscard]] std::int64_t least_period_without_overheads(const TaskGraph& graph,
                                                          const logp::Machine& machine);

/// Whether any schedule of one copy has at most this period: every sequence of computations, sends of any
/// data that a processor has to any other one, and receives, on every processor, timed by Bellman-Ford. The
/// network's capacity is not looked at. Meant for up to five tasks on two processors, four on three.
[[nodiscard]] bool has_schedule_within(const TaskGraph& graph, const logp::Machine& machine,
                                       std::int64_t period);

/// Over all assignments the least of the largest work + send + receive of a processor, where one message
/// takes everything that leaves a processor, and one everything that enters it.
[[nodiscard]] std::int64_t least_share(const TaskGraph& graph, const logp::Machine& machine);

/// Calls visit(allocation) for every assignment and every order of each processor's tasks.
void for_each_allocation(const TaskGraph& graph, std::size_t processors,
                         const std::function<void(const logp::Allocation&)>& visit);

/// The least period of any relay chain: every assignment of the tasks to the processors, in every order of
/// the processors, such that data only moves down the chain, with one message a boundary.
[[nodiscard]] std::int64_t least_period_relay(const TaskGraph& graph, const logp::Machine& machine);

/// The least period of a relay chain over the processors 1, 2, ... that keeps this order of the tasks.
[[nodiscard]] std::int64_t least_period_of_order(const TaskGraph& graph, const logp::Machine& machine,
                                                 const std::vector<TaskId>& order);

/// A random graph: each pair of tasks i < j has an edge with this probability in percent; work
/// least_work..most_work, data 1..most_data, and some tasks give the same datum to several others.
[[nodiscard]] TaskGraph random_graph(Random& random, std::size_t tasks, std::uint64_t edge_percent,
                                     std::int64_t most_work, std::int64_t most_data = 1,
                                     std::int64_t least_work = 1);

/// The same graph in which about half of the tasks are stateless.
[[nodiscard]] TaskGraph with_stateless_tasks(Random& random, const TaskGraph& graph);

/// Processors at random places in three nodes of two clusters, some of them twice as fast; messages cost more
/// from level to level.
[[nodiscard]] logp::Machine random_levels(Random& random, std::size_t processors);

/// The same processors and links under other numbers: the first one becomes new_numbers[0].
[[nodiscard]] logp::Machine renumbered(const logp::Machine& machine,
                                       const std::vector<std::size_t>& new_numbers);

/// The same graph with every second task, at random, stateless.
[[nodiscard]] TaskGraph with_some_stateless(const TaskGraph& graph, Random& random);

}  // namespace takt::schedulers::oracle
