#pragma once
/// Views of graphs: task graphs, what tasks exchange without an order, networks.

#include <cstddef>
#include <optional>
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

/// A node of a tree: a name, a line of smaller letters, and the node above, which comes before it.
struct TreeNode {
  std::string name, detail;
  std::optional<std::size_t> parent;
};
/// A tree as an indented list: what is below a node follows it, further to the right.
[[nodiscard]] View tree_view(std::string_view name, std::string_view says, std::span<const TreeNode> nodes);

}  // namespace takt
