#include "schedulers/heterogeneous/ranks.hpp"

#include <algorithm>
#include <ranges>

namespace takt::schedulers {

std::vector<double> upward_ranks(const DelayModel& model) {
  const TaskGraph& graph = model.graph();
  std::vector<double> rank(graph.task_count(), 0.0);
  for (TaskId task : std::views::reverse(graph.topological_order())) {
    double below = 0;
    for (EdgeId edge : graph.out_edges(task))
      below = std::max(below, model.exact_mean_delay(edge) + rank[graph.edge(edge).to.index()]);
    rank[task.index()] = model.exact_mean_duration(task) + below;
  }
  return rank;
}

std::vector<double> downward_ranks(const DelayModel& model) {
  const TaskGraph& graph = model.graph();
  std::vector<double> rank(graph.task_count(), 0.0);
  for (TaskId task : graph.topological_order()) {
    const double end = rank[task.index()] + model.exact_mean_duration(task);
    for (EdgeId edge : graph.out_edges(task)) {
      double& below = rank[graph.edge(edge).to.index()];
      below = std::max(below, end + model.exact_mean_delay(edge));
    }
  }
  return rank;
}

}  // namespace takt::schedulers
