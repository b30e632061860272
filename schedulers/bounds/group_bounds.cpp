#include "schedulers/bounds/group_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "schedulers/bounds/area_bound.hpp"

namespace takt::schedulers {

GroupBounds group_bounds(const TaskGraph& graph, const logp::Machine& machine) {
  const Platform& platform = machine.platform();
  std::map<std::uint32_t, std::size_t> sizes;
  for (ProcessorId p : machine.processors()) ++sizes[platform.cluster(p)];
  const std::size_t largest =
      std::ranges::max_element(sizes, {}, [](const auto& each) { return each.second; })->second;
  const double fastest = std::ranges::max(platform.speeds);
  // Rounded down, so that the result remains a bound.
  const auto least = [&](TaskId id) {
    const Task& task = graph.task(id);
    return std::floor(task.time_on(task.most_processors(largest)) / fastest * (1 - 1e-12));
  };
  GroupBounds bounds;
  bounds.period = AreaBound(graph, machine).mean(machine.processor_count()).floor();
  std::vector<double> end(graph.task_count(), 0);
  double longest = 0;
  for (TaskId task : graph.topological_order()) {
    double start = 0;
    for (EdgeId edge : graph.in_edges(task)) start = std::max(start, end[graph.edge(edge).from.index()]);
    const double time = least(task);
    end[task.index()] = start + time;
    longest = std::max(longest, end[task.index()]);
    const Period of_task{Time(std::llround(time)), 1};
    if (graph.task(task).stateless || of_task <= bounds.period) continue;
    bounds.period = of_task;
    bounds.is_of_state = true;
  }
  bounds.critical_path = Time(std::llround(longest));
  return bounds;
}

}  // namespace takt::schedulers
