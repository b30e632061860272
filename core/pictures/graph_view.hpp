#pragma once
/// Views of graphs: task graphs, what tasks exchange without an order, networks.

#include <span>
#include <string>

#include "core/network.hpp"
#include "core/pictures/page.hpp"
#include "core/schedule.hpp"
#include "core/task_graph.hpp"

namespace takt {

/// The layered graph, with the processor of each task where that is known (empty where it is not). `unit` is
/// `ns` or `ticks`.
[[nodiscard]] View graph_view(const TaskGraph& graph, std::span<const ProcessorId> processors = {},
                              std::string_view unit = "ticks");

/// The task interaction graph: an undirected edge for each pair of tasks that exchange data.
[[nodiscard]] View interaction_view(const TaskGraph& graph, std::span<const ProcessorId> processors = {},
                                    std::string_view unit = "ticks");

/// By link, the share of the time between repetitions in which the schedule keeps it busy; nothing of it is
/// known where the schedule has no routes. O(hops).
[[nodiscard]] std::vector<double> link_loads(const Schedule& schedule, const Network& network);

/// A network, with the load of every link where it is known (empty where it is not).
[[nodiscard]] View network_view(const Network& network, std::span<const double> loads = {});

}  // namespace takt
