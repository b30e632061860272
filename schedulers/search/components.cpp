#include "schedulers/search/components.hpp"

#include <limits>

namespace takt::schedulers {

Components connected_components(const TaskGraph& graph) {
  constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  Components components{std::vector<std::uint32_t>(graph.task_count(), none)};
  std::vector<TaskId> open;
  for (TaskId first : graph.tasks()) {
    if (components.of[first.index()] != none) continue;
    const auto number = static_cast<std::uint32_t>(components.count++);
    auto reach = [&](TaskId task) {
      if (components.of[task.index()] != none) return;
      components.of[task.index()] = number;
      open.push_back(task);
    };
    reach(first);
    while (!open.empty()) {
      const TaskId task = open.back();
      open.pop_back();
      for (EdgeId in : graph.in_edges(task)) reach(graph.edge(in).from);
      for (EdgeId out : graph.out_edges(task)) reach(graph.edge(out).to);
    }
  }
  return components;
}

}  // namespace takt::schedulers
