#pragma once
/// Graphs and networks drawn without a browser.

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "core/graphs/task_graph.hpp"
#include "core/pictures/graph_view.hpp"
#include "core/pictures/picture.hpp"

namespace takt {

/// A graph (core/pictures/web/src/data.ts) at its places. Task graphs: a box for each task with its name,
/// work and processor, a line for each edge with its size where that can be read, the critical path in bold.
/// Interaction graphs: lines as thick as what goes over them. Networks: both links between two nodes as one
/// line, as thick as the busier one is busy; where all nodes are linked with all, only lines that tell
/// something. O(nodes + edges log edges).
[[nodiscard]] Drawing svg_of_graph(const nlohmann::ordered_json& view);

/// The task graph as a file of its own; with the processors of each task, boxes are coloured by them.
[[nodiscard]] std::string graph_to_svg(const TaskGraph& graph, const TaskProcessors& processors = {});

}  // namespace takt
