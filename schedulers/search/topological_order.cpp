#include "schedulers/search/topological_order.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "core/graphs/levels.hpp"

namespace takt::schedulers {

namespace {

/// Kahn's algorithm: evaluates `rank` of a task when it becomes ready; the ready task of the lowest rank (of
/// equals, of the lowest id) comes next. Calls `changed` with each chosen task and a function that evaluates
/// the rank of a ready task again.
template <class Rank, class Changed>
std::vector<TaskId> order_by(const TaskGraph& graph, Rank rank, Changed changed) {
  std::vector<std::size_t> missing(graph.task_count());
  std::vector<std::int64_t> rank_of(graph.task_count());
  std::set<std::pair<std::int64_t, TaskId>> ready;
  auto make_ready = [&](TaskId task) {
    rank_of[task.index()] = rank(task);
    ready.emplace(rank_of[task.index()], task);
  };
  auto rank_again = [&](TaskId task) {
    if (ready.erase({rank_of[task.index()], task}) > 0) make_ready(task);
  };
  for (TaskId task : graph.tasks()) {
    missing[task.index()] = graph.in_edges(task).size();
    if (missing[task.index()] == 0) make_ready(task);
  }
  std::vector<TaskId> order;
  order.reserve(graph.task_count());
  while (!ready.empty()) {
    const TaskId task = ready.begin()->second;
    ready.erase(ready.begin());
    order.push_back(task);
    changed(task, rank_again);
    for (EdgeId out : graph.out_edges(task)) {
      const TaskId next = graph.edge(out).to;
      if (--missing[next.index()] == 0) make_ready(next);
    }
  }
  return order;
}

template <class Rank>
std::vector<TaskId> order_by(const TaskGraph& graph, Rank rank) {
  return order_by(graph, rank, [](TaskId, auto&&) {});
}

/// Change of the live data when a task is put into the order.
class LiveChange {
 public:
  explicit LiveChange(const TaskGraph& graph) : graph_(graph), needs_left_(graph.datum_count(), 0) {
    for (EdgeId edge : graph.edges()) ++needs_left_[graph.edge(edge).datum.index()];
  }

  [[nodiscard]] std::int64_t of(TaskId task) const {
    std::int64_t change = 0;
    for (EdgeId out : graph_.out_edges(task)) change += size(graph_.edge(out).datum);
    for (EdgeId in : graph_.in_edges(task)) {
      const DatumId datum = graph_.edge(in).datum;
      if (needs_left_[datum.index()] == 1) change -= size(datum);
    }
    return change;
  }

  /// The task is in the order now: calls visit for the last task that still needs one of its inputs.
  template <class Visit>
  void take(TaskId task, const Visit& visit) {
    for (EdgeId in : graph_.in_edges(task)) {
      const DatumId datum = graph_.edge(in).datum;
      if (--needs_left_[datum.index()] != 1) continue;
      for (EdgeId out : graph_.out_edges(graph_.datum_task(datum)))
        if (graph_.edge(out).datum == datum) visit(graph_.edge(out).to);
    }
  }

 private:
  [[nodiscard]] std::int64_t size(DatumId datum) const {
    return static_cast<std::int64_t>(graph_.datum_size(datum).count);
  }
  const TaskGraph& graph_;
  std::vector<std::uint32_t> needs_left_;
};

}  // namespace

std::vector<TaskId> topological_order(const TaskGraph& graph, OrderRule rule, SearchRandom& random) {
  std::int64_t clock = 0;
  switch (rule) {
    case OrderRule::layer: {
      const auto order = graph.topological_order();
      return {order.begin(), order.end()};
    }
    case OrderRule::depth_first:
      return order_by(graph, [&](TaskId) { return --clock; });
    case OrderRule::least_live: {
      LiveChange live(graph);
      return order_by(
          graph, [&](TaskId task) { return live.of(task); },
          [&](TaskId task, const auto& rank_again) { live.take(task, rank_again); });
    }
    case OrderRule::b_level: {
      const std::vector<Time> levels = b_levels(graph);
      return order_by(graph, [&](TaskId task) { return -levels[task.index()].count(); });
    }
    case OrderRule::largest:
      return order_by(graph, [&](TaskId task) { return -graph.task(task).work.count(); });
    case OrderRule::random:
      return order_by(graph, [&](TaskId) { return static_cast<std::int64_t>(random.next() >> 1); });
    case OrderRule::random_depth_first:
      // The clock counts in steps of 2^20; what becomes ready within 2^12 of them is shuffled.
      return order_by(graph, [&](TaskId) {
        return (--clock << 20) + static_cast<std::int64_t>(random.below(std::size_t{3} << 20));
      });
  }
  return {};
}

}  // namespace takt::schedulers
