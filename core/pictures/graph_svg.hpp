#pragma once
/// SVG rendering of graphs and networks without a browser.

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "core/graphs/task_graph.hpp"
#include "core/pictures/graph_view.hpp"
#include "core/pictures/picture.hpp"

namespace takt {

/// Draws a graph (core/pictures/web/src/data.ts) with its layout. Task graphs: a box for each task with its
/// name, work and processor, a line for each edge with its size if that is legible, the critical path in
/// bold. Interaction graphs: line widths by data size. Networks: both links between two nodes as one line,
/// whose width is the higher load; in complete networks, only lines with information. O(nodes + edges log
/// edges).
[[nodiscard]] Drawing svg_of_graph(const nlohmann::ordered_json& view);

/// Draws the task graph as a separate file; the boxes have the colours of known processors.
[[nodiscard]] std::string graph_to_svg(const TaskGraph& graph, const TaskProcessors& processors = {});

}  // namespace takt
