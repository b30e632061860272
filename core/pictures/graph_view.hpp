#pragma once
/// Views of graphs: task graphs, what tasks exchange without an order, networks.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/graphs/task_graph.hpp"
#include "core/network.hpp"
#include "core/pictures/page.hpp"
#include "core/schedule.hpp"

namespace takt {

/// By task, the processors that compute it, in ascending order: several of a group, of a copy, of frames that
/// take turns; nothing is known where there are none.
using TaskProcessors = std::vector<std::vector<ProcessorId>>;
/// Of all frames of a schedule. O(operations log operations).
[[nodiscard]] TaskProcessors processors_of(const Schedule& schedule, const TaskGraph& graph);

/// `ns`, so that times are told in us, ms and s, where a task takes 10,000 ticks and more; otherwise `ticks`.
[[nodiscard]] std::string_view time_unit(const TaskGraph& graph);

/// The layered graph, with the processors of each task where they are known (empty where they are not).
/// `unit` is `ns` or `ticks`.
[[nodiscard]] View graph_view(const TaskGraph& graph, const TaskProcessors& processors = {},
                              std::string_view unit = "ticks");

/// The task interaction graph: an undirected edge for each pair of tasks that exchange data.
[[nodiscard]] View interaction_view(const TaskGraph& graph, const TaskProcessors& processors = {},
                                    std::string_view unit = "ticks");

/// By link, the share of the time between repetitions in which the schedule keeps it busy; nothing of it is
/// known where the schedule has no routes. O(hops).
[[nodiscard]] std::vector<double> link_loads(const Schedule& schedule, const Network& network);

/// A network, with the load of every link where it is known (empty where it is not).
[[nodiscard]] View network_view(const Network& network, std::span<const double> loads = {});

}  // namespace takt
