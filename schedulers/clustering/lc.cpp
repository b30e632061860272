#include "schedulers/clustering/lc.hpp"

#include <optional>
#include <queue>

#include "schedulers/common/assignment.hpp"
#include "schedulers/common/ready_queue.hpp"

namespace takt::schedulers {

namespace {

/// The longest paths of the tasks that are in no cluster yet. Such a path only gets shorter as tasks leave,
/// so lengths known from before are upper bounds, and a bound needs renewing only when it might be the best.
class LongestPaths {
 public:
  explicit LongestPaths(const DelayModel& model)
      : model_(model),
        graph_(model.graph()),
        bound_(b_levels(model)),
        settled_in_(graph_.task_count(), 0),
        taken_(graph_.task_count(), false),
        open_(graph_) {
    open_.entries([this](TaskId task) { starts_.push({bound_[task.index()], task}); });
  }

  [[nodiscard]] bool empty() const { return starts_.empty(); }

  /// Takes the tasks of the longest path away and returns them in order.
  std::vector<TaskId> take_longest() {
    ++round_;
    // The first start whose bound turns out exact is the best: the others' bounds are no better.
    Start start = starts_.top();
    while (true) {
      starts_.pop();
      settle(start.task);
      if (bound_[start.task.index()] == start.bound) break;
      starts_.push({bound_[start.task.index()], start.task});
      start = starts_.top();
    }
    std::vector<TaskId> path;
    for (std::optional<TaskId> task = start.task; task; task = onward(*task).child) path.push_back(*task);
    for (TaskId task : path) taken_[task.index()] = true;
    for (TaskId task : path)
      open_.place(task, [this](TaskId child) {
        if (!taken_[child.index()]) starts_.push({bound_[child.index()], child});
      });
    return path;
  }

 private:
  struct Start {
    Time bound;
    TaskId task;
    /// Longest first, of equal ones the lowest task: the heap keeps its largest on top.
    friend bool operator<(const Start& a, const Start& b) {
      return a.bound != b.bound ? a.bound < b.bound : a.task > b.task;
    }
  };

  /// Where the longest path leads from a task, by the bounds, and how long it is without the task.
  struct Onward {
    std::optional<TaskId> child;
    Time length{0};
  };
  [[nodiscard]] Onward onward(TaskId task) const {
    Onward best;
    for (EdgeId edge : graph_.out_edges(task)) {
      const TaskId child = graph_.edge(edge).to;
      if (taken_[child.index()]) continue;
      const Time length = model_.mean_delay(edge) + bound_[child.index()];
      if (!best.child || length > best.length || (length == best.length && child < *best.child))
        best = {child, length};
    }
    return best;
  }

  /// Makes a task's bound the length of its longest path, by settling its best child until that stays the
  /// best.
  void settle(TaskId task) {
    stack_.push_back(task);
    while (!stack_.empty()) {
      const TaskId at = stack_.back();
      const Onward best = onward(at);
      if (best.child && settled_in_[best.child->index()] != round_) {
        stack_.push_back(*best.child);
      } else {
        bound_[at.index()] = model_.mean_duration(at) + best.length;
        settled_in_[at.index()] = round_;
        stack_.pop_back();
      }
    }
  }

  const DelayModel& model_;
  const TaskGraph& graph_;
  std::vector<Time> bound_;
  /// The round, counted from 1, in which a task's bound was last made exact.
  std::vector<std::uint32_t> settled_in_;
  std::uint32_t round_ = 0;
  std::vector<bool> taken_;
  OpenParents open_;
  std::priority_queue<Start> starts_;
  std::vector<TaskId> stack_;
};

}  // namespace

Clustering lc(const DelayModel& model, const Options&) {
  LongestPaths paths(model);
  std::vector<ProcessorId> cluster_of(model.graph().task_count());
  std::size_t count = 0;
  for (; !paths.empty(); ++count)
    for (TaskId task : paths.take_longest()) cluster_of[task.index()] = ProcessorId(count);
  return numbered(place_assigned(model.averaged(count), cluster_of));
}

Schedule lc(const TaskGraph& graph, const logp::Machine& machine, const Options& options) {
  const DelayModel model(graph, machine);
  return timed("lc", graph, machine, on_processors(model, lc(model, options), options));
}

}  // namespace takt::schedulers
