#pragma once
/// The ready list of list scheduling: the tasks whose parents are all placed, the most urgent first.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

#include "core/graphs/task_graph.hpp"

namespace takt::schedulers {

/// The number of unplaced parents of each task.
class OpenParents {
 public:
  explicit OpenParents(const TaskGraph& graph);

  /// Calls `ready(task)` for every task without parents, in the order of their ids.
  template <class Ready>
  void entries(Ready ready) const {
    for (TaskId task : graph_->tasks())
      if (count_[task.index()] == 0) ready(task);
  }

  /// Reports a placed task; calls `ready(child)` for every child without further unplaced parents.
  template <class Ready>
  void place(TaskId task, Ready ready) {
    for (EdgeId edge : graph_->out_edges(task)) {
      const TaskId child = graph_->edge(edge).to;
      if (--count_[child.index()] == 0) ready(child);
    }
  }

 private:
  const TaskGraph* graph_;
  std::vector<std::uint32_t> count_;
};

/// Ready tasks by a constant priority: a heap of ranks, O(log n) a step, O(n) memory.
class ReadyQueue {
 public:
  /// `order` holds every task, the most urgent first; it need not be topological. Borrows the graph.
  ReadyQueue(const TaskGraph& graph, std::vector<TaskId> order);

  [[nodiscard]] bool empty() const { return ranks_.empty(); }
  /// Removes and returns the most urgent ready task.
  TaskId pop();
  /// Reports a placed task, so that its children may become ready.
  void place(TaskId task);

 private:
  void push(TaskId task) { ranks_.push(rank_of_[task.index()]); }

  OpenParents open_;
  std::vector<TaskId> order_;
  std::vector<std::uint32_t> rank_of_;
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ranks_;
};

/// Returns all tasks in the order of `before(a, b)`; equal ones in the order of their ids. O(n log n).
template <class Before>
[[nodiscard]] std::vector<TaskId> sorted_tasks(const TaskGraph& graph, Before before) {
  std::vector<TaskId> order;
  order.reserve(graph.task_count());
  for (TaskId task : graph.tasks()) order.push_back(task);
  std::stable_sort(order.begin(), order.end(), before);
  return order;
}

/// Returns all tasks by falling level; equal ones in the order of their ids.
template <class Value>
[[nodiscard]] std::vector<TaskId> by_falling(const TaskGraph& graph, const std::vector<Value>& level) {
  return sorted_tasks(graph, [&](TaskId a, TaskId b) { return level[a.index()] > level[b.index()]; });
}

}  // namespace takt::schedulers
