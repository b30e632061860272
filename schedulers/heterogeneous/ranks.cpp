#include "schedulers/heterogeneous/ranks.hpp"

#include <algorithm>
#include <ranges>

namespace takt::schedulers {

std::vector<Parts> upward_ranks(const DelayModel& model) {
  const TaskGraph& graph = model.graph();
  std::vector<Parts> rank(graph.task_count(), Parts{0});
  for (TaskId task : std::views::reverse(graph.topological_order())) {
    Parts below = 0;
    for (EdgeId edge : graph.out_edges(task))
      below = std::max(below, model.exact_mean_delay(edge) + rank[graph.edge(edge).to.index()]);
    rank[task.index()] = model.exact_mean_duration(task) + below;
  }
  return rank;
}

std::vector<Parts> downward_ranks(const DelayModel& model) {
  const TaskGraph& graph = model.graph();
  std::vector<Parts> rank(graph.task_count(), Parts{0});
  for (TaskId task : graph.topological_order()) {
    const Parts end = rank[task.index()] + model.exact_mean_duration(task);
    for (EdgeId edge : graph.out_edges(task)) {
      Parts& below = rank[graph.edge(edge).to.index()];
      below = std::max(below, end + model.exact_mean_delay(edge));
    }
  }
  return rank;
}

}  // namespace takt::schedulers
