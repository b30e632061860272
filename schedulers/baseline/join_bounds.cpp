#include "schedulers/baseline/join_bounds.hpp"

#include <algorithm>

namespace takt::schedulers {

Time earliest_join(std::span<JoinParent> parents) {
  if (parents.size() == 1) return std::min(parents[0].start + parents[0].duration, parents[0].arrival);
  std::ranges::sort(parents, std::ranges::greater{}, &JoinParent::arrival);
  Time best = parents.empty() ? Time{0} : parents[0].arrival;
  for (std::size_t here = 1; here <= parents.size(); ++here) {
    // The earlier parents are sorted by their starts; the next one joins them.
    const auto chosen = parents.first(here);
    const auto place =
        std::ranges::upper_bound(chosen.first(here - 1), chosen.back().start, {}, &JoinParent::start);
    std::rotate(place, chosen.end() - 1, chosen.end());
    Time done{0};
    for (const JoinParent& parent : chosen) done = std::max(done, parent.start) + parent.duration;
    if (done >= best) break;
    best = std::min(best, here < parents.size() ? std::max(done, parents[here].arrival) : done);
  }
  return best;
}

Time least_delay(const DelayModel& model, EdgeId edge) {
  if (model.processor_count() == 1) return Time{0};
  if (model.uniform_delays()) return model.uniform_delay(edge);
  Time least = Time::max();
  for (ProcessorId a : model.processors())
    for (ProcessorId b : model.processors())
      if (a != b) least = std::min(least, model.delay(edge, a, b));
  return least;
}

Time least_duration(const DelayModel& model, TaskId task) {
  Time least = Time::max();
  for (ProcessorId p : model.processors()) least = std::min(least, model.duration(task, p));
  return least;
}

std::vector<Time> join_heads(const DelayModel& model, bool is_backwards) {
  const TaskGraph& graph = model.graph();
  std::vector<Time> head(graph.task_count(), Time{0});
  std::vector<TaskId> order(graph.topological_order().begin(), graph.topological_order().end());
  if (is_backwards) std::ranges::reverse(order);
  std::vector<JoinParent> parents;
  for (TaskId task : order) {
    parents.clear();
    for (EdgeId edge : is_backwards ? graph.out_edges(task) : graph.in_edges(task)) {
      const TaskId parent = is_backwards ? graph.edge(edge).to : graph.edge(edge).from;
      const Time duration = least_duration(model, parent), end = head[parent.index()] + duration;
      parents.push_back({head[parent.index()], duration, end + least_delay(model, edge)});
    }
    head[task.index()] = earliest_join(parents);
  }
  return head;
}

}  // namespace takt::schedulers
