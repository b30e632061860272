#pragma once
/// The geometry of a task graph's drawing in SVG and pages: positions, sizes of boxes, the critical path.

#include <string_view>
#include <vector>

#include "core/graphs/task_graph.hpp"
#include "core/pictures/layered_layout.hpp"

namespace takt {

struct GraphDrawing {
  static constexpr double node_height = 34;

  LayeredLayout layout;
  /// Widths of the tasks' boxes: wide enough for names up to some length, and for work with a processor.
  std::vector<double> widths;
  /// Whether a task, or an edge, is on the critical path: the longest one, work and edges
  /// (core/graphs/levels.hpp). All false if tasks and edges cost nothing.
  std::vector<bool> critical_tasks, critical_edges;
};

/// Returns the label of a task's box: its name; for one of several streams, `frame/task`.
[[nodiscard]] std::string_view label_of(std::string_view task);

/// Lays out a graph; boxes have at least this width. The run time is that of lay_out.
[[nodiscard]] GraphDrawing draw(const TaskGraph& graph, double least_width = 46);

}  // namespace takt
