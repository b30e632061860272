#include "schedulers/delay/critical_path.hpp"

#include <algorithm>
#include <optional>

namespace takt::schedulers {

namespace {

template <class Level, class Delay>
std::vector<TaskId> follow(const TaskGraph& graph, const std::vector<Level>& level, Delay delay) {
  std::vector<TaskId> path;
  if (level.empty()) return path;
  path.emplace_back(static_cast<std::size_t>(std::max_element(level.begin(), level.end()) - level.begin()));
  while (true) {
    std::optional<TaskId> next;
    Level longest{};
    for (EdgeId edge : graph.out_edges(path.back())) {
      const TaskId child = graph.edge(edge).to;
      const Level below = delay(edge) + level[child.index()];
      if (!next || below > longest || (below == longest && child < *next)) {
        next = child;
        longest = below;
      }
    }
    if (!next) return path;
    path.push_back(*next);
  }
}

}  // namespace

std::vector<TaskId> critical_path_of(const DelayModel& model, const std::vector<Time>& level) {
  return follow(model.graph(), level, [&](EdgeId edge) { return model.mean_delay(edge); });
}

std::vector<TaskId> critical_path_of(const DelayModel& model, const std::vector<Parts>& level) {
  return follow(model.graph(), level, [&](EdgeId edge) { return model.exact_mean_delay(edge); });
}

ProcessorId fastest_for(const DelayModel& model, const std::vector<TaskId>& tasks) {
  ProcessorId fastest;
  Time least = Time::max();
  for (ProcessorId p : model.processors()) {
    Time sum{0};
    for (TaskId task : tasks) sum += model.duration(task, p);
    if (sum < least) {
      fastest = p;
      least = sum;
    }
  }
  return fastest;
}

}  // namespace takt::schedulers
