#pragma once
/// Views of graphs: task graphs, task interaction graphs, networks.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/graphs/task_graph.hpp"
#include "core/network.hpp"
#include "core/pictures/page.hpp"
#include "core/schedule.hpp"

namespace takt {

/// For each task, the processors that compute it, in ascending order: several for a group, for copies, or for
/// frames on alternating processors; empty if unknown.
using TaskProcessors = std::vector<std::vector<ProcessorId>>;
/// Returns the processors over all frames of a schedule. O(operations log operations).
[[nodiscard]] TaskProcessors processors_of(const Schedule& schedule, const TaskGraph& graph);

/// Returns `ns`, which is displayed in us, ms and s, if a task takes 10,000 ticks or more; otherwise `ticks`.
[[nodiscard]] std::string_view time_unit(const TaskGraph& graph);

/// Returns the layered graph, with the processors of each task if known (otherwise empty). `unit` is `ns` or
/// `ticks`.
[[nodiscard]] View graph_view(const TaskGraph& graph, const TaskProcessors& processors = {},
                              std::string_view unit = "ticks");

/// Returns the task interaction graph: an undirected edge for each pair of tasks that exchange data.
[[nodiscard]] View interaction_view(const TaskGraph& graph, const TaskProcessors& processors = {},
                                    std::string_view unit = "ticks");

/// Returns, for each link, the fraction of the period in which the schedule keeps it busy; empty if the
/// schedule has no routes. O(hops).
[[nodiscard]] std::vector<double> link_loads(const Schedule& schedule, const Network& network);

/// Returns a network, with the load of every link if known (otherwise empty).
[[nodiscard]] View network_view(const Network& network, std::span<const double> loads = {});

}  // namespace takt
