#include "schedulers/bounds/closure_times.hpp"

#include <algorithm>
#include <utility>

namespace takt::schedulers {

std::vector<std::size_t> closure_times(const TaskGraph& graph, std::span<const std::size_t> times) {
  std::vector<std::size_t> least;
  std::vector<char> is_reached(graph.task_count());
  std::vector<TaskId> open;
  const auto reach = [&](TaskId from, bool backwards) {
    std::ranges::fill(is_reached, 0);
    is_reached[from.index()] = 1;
    open.assign(1, from);
    std::size_t sum = 0;
    while (!open.empty()) {
      const TaskId item = open.back();
      open.pop_back();
      sum += times[item.index()];
      for (EdgeId id : backwards ? graph.in_edges(item) : graph.out_edges(item)) {
        const TaskId next = backwards ? graph.edge(id).from : graph.edge(id).to;
        if (std::exchange(is_reached[next.index()], 1) == 0) open.push_back(next);
      }
    }
    return sum;
  };
  for (TaskId task : graph.tasks()) least.push_back(std::min(reach(task, false), reach(task, true)));
  return least;
}

}  // namespace takt::schedulers
