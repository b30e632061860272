#include "schedulers/search/components.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace takt::schedulers {

Components connected_components(const TaskGraph& graph) {
  // Each task's link towards the first task of its component, always to a lower number.
  std::vector<std::uint32_t> of(graph.task_count());
  std::iota(of.begin(), of.end(), 0U);
  const auto first_of = [&](TaskId task) {
    auto at = static_cast<std::uint32_t>(task.index());
    while (of[at] != at) at = of[at] = of[of[at]];
    return at;
  };
  for (EdgeId id : graph.edges()) {
    const std::uint32_t from = first_of(graph.edge(id).from), to = first_of(graph.edge(id).to);
    of[std::max(from, to)] = std::min(from, to);
  }
  Components components;
  // The task that a link leads to has a lower number and is already labelled.
  for (std::uint32_t task = 0; task < of.size(); ++task)
    of[task] = of[task] == task ? static_cast<std::uint32_t>(components.count++) : of[of[task]];
  components.of = std::move(of);
  return components;
}

}  // namespace takt::schedulers
