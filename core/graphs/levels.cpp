#include "core/graphs/levels.hpp"

#include <algorithm>
#include <ranges>

namespace takt {

namespace {

Time size_as_time(Bytes size) {
  return Time(static_cast<Time::rep>(size.count));
}

/// Returns the longest path from each task to an exit; `edge_cost` returns an edge's contribution.
template <class EdgeCost>
std::vector<Time> longest_to_exit(const TaskGraph& graph, EdgeCost edge_cost) {
  std::vector<Time> level(graph.task_count(), Time{0});
  for (TaskId id : std::views::reverse(graph.topological_order())) {
    Time below{0};
    for (EdgeId edge_id : graph.out_edges(id)) {
      const Edge edge = graph.edge(edge_id);
      below = std::max(below, edge_cost(edge) + level[edge.to.index()]);
    }
    level[id.index()] = graph.task(id).work + below;
  }
  return level;
}

Time largest(const std::vector<Time>& levels) {
  return levels.empty() ? Time{0} : *std::max_element(levels.begin(), levels.end());
}

}  // namespace

std::vector<std::size_t> layers_of(const TaskGraph& graph) {
  std::vector<std::size_t> layer(graph.task_count(), 0);
  for (TaskId id : graph.topological_order())
    for (EdgeId edge : graph.out_edges(id)) {
      std::size_t& below = layer[graph.edge(edge).to.index()];
      below = std::max(below, layer[id.index()] + 1);
    }
  return layer;
}

std::vector<std::vector<TaskId>> tasks_by_layer(const TaskGraph& graph) {
  const std::vector<std::size_t> layer = layers_of(graph);
  std::vector<std::vector<TaskId>> result;
  for (TaskId id : graph.topological_order()) {
    result.resize(std::max(result.size(), layer[id.index()] + 1));
    result[layer[id.index()]].push_back(id);
  }
  return result;
}

std::vector<Time> b_levels(const TaskGraph& graph) {
  return longest_to_exit(graph, [](const Edge& edge) { return size_as_time(edge.size); });
}

std::vector<Time> t_levels(const TaskGraph& graph) {
  std::vector<Time> level(graph.task_count(), Time{0});
  for (TaskId id : graph.topological_order()) {
    const Time end = level[id.index()] + graph.task(id).work;
    for (EdgeId edge_id : graph.out_edges(id)) {
      const Edge edge = graph.edge(edge_id);
      level[edge.to.index()] = std::max(level[edge.to.index()], end + size_as_time(edge.size));
    }
  }
  return level;
}

std::vector<Time> static_levels(const TaskGraph& graph) {
  return longest_to_exit(graph, [](const Edge&) { return Time{0}; });
}

Time critical_path(const TaskGraph& graph) {
  return largest(b_levels(graph));
}

Time computation_critical_path(const TaskGraph& graph) {
  return largest(static_levels(graph));
}

}  // namespace takt
