#pragma once
/// A task graph as it is drawn, in SVG and in pages: places, sizes of boxes, the critical path.

#include <string_view>
#include <vector>

#include "core/graphs/task_graph.hpp"
#include "core/pictures/layered_layout.hpp"

namespace takt {

struct GraphDrawing {
  static constexpr double node_height = 34;

  LayeredLayout layout;
  /// How wide the tasks' boxes are: names have room, up to some length, and works with a processor.
  std::vector<double> widths;
  /// Whether a task, or an edge, is on the critical path: the longest one, work and edges
  /// (core/graphs/levels.hpp). Nothing is where tasks and edges cost nothing.
  std::vector<bool> critical_tasks, critical_edges;
};

/// What stands in a task's box: its name; of one of several streams, `frame/task`.
[[nodiscard]] std::string_view label_of(std::string_view task);

/// Boxes are as wide as that at least. Takes the time of the layout.
[[nodiscard]] GraphDrawing draw(const TaskGraph& graph, double least_width = 46);

}  // namespace takt
