#pragma once
/// A task graph as it is drawn, in SVG and in pages: places, labels, the critical path.

#include <string>
#include <vector>

#include "core/pictures/layered_layout.hpp"
#include "core/task_graph.hpp"

namespace takt {

struct GraphDrawing {
  static constexpr double node_height = 34;

  LayeredLayout layout;
  /// The tasks' names, shortened where they are long, and how wide their boxes are.
  std::vector<std::string> labels;
  std::vector<double> widths;
  /// Whether a task, or an edge, is on the critical path: the longest one, work and edges (core/levels.hpp).
  /// Nothing is where tasks and edges cost nothing.
  std::vector<bool> critical_tasks, critical_edges;
};

/// Takes the time of the layout.
[[nodiscard]] GraphDrawing draw(const TaskGraph& graph);

}  // namespace takt
