#pragma once
/// Pictures of task graphs, laid out by Graphviz.

#include <string>

#include "core/task_graph.hpp"

namespace takt {

/// The graph as SVG, drawn by Graphviz' program `dot`. Throws WorkError when it cannot be run or fails.
[[nodiscard]] std::string graph_to_svg(const TaskGraph& graph);

}  // namespace takt
