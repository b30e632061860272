#include "schedulers/clustering/lc.hpp"

#include <algorithm>
#include <optional>
#include <queue>

#include "schedulers/common/assignment.hpp"

namespace takt::schedulers {

namespace {

/// The longest paths of the tasks that are in no cluster yet. Such a path only gets shorter as tasks leave,
/// so lengths known from before are upper bounds, and a bound needs renewing only when it might be the best.
///
/// Tasks are known by their ranks in topological order, which brings those that are looked at together close
/// in memory.
class LongestPaths {
 public:
  explicit LongestPaths(const DelayModel& model) {
    const TaskGraph& graph = model.graph();
    const auto order = graph.topological_order();
    order_.assign(order.begin(), order.end());
    std::vector<std::uint32_t> rank_of(order_.size());
    for (std::uint32_t rank = 0; rank < order_.size(); ++rank) rank_of[order_[rank].index()] = rank;
    const std::vector<Time> level = b_levels(model);
    for (TaskId task : order_) {
      bound_.push_back(level[task.index()]);
      duration_.push_back(model.mean_duration(task));
      open_parents_.push_back(static_cast<std::uint32_t>(graph.in_edges(task).size()));
      for (EdgeId edge : graph.out_edges(task))
        children_.push_back({rank_of[graph.edge(edge).to.index()], model.mean_delay(edge)});
      // Of equal ones the first counts: the lowest task.
      std::sort(children_.begin() + first_child_.back(), children_.end(),
                [this](const Child& a, const Child& b) { return order_[a.rank] < order_[b.rank]; });
      first_child_.push_back(static_cast<std::uint32_t>(children_.size()));
    }
    settled_in_.assign(order_.size(), 0);
    for (std::uint32_t rank = 0; rank < order_.size(); ++rank)
      if (open_parents_[rank] == 0) push_start(rank);
  }

  [[nodiscard]] bool empty() const { return starts_.empty(); }

  /// Takes the tasks of the longest path away and returns them in order.
  std::vector<TaskId> take_longest() {
    ++round_;
    // The first start whose bound turns out exact is the best: the others' bounds are no better.
    Start start = starts_.top();
    while (true) {
      starts_.pop();
      settle(start.rank);
      if (bound_[start.rank] == start.bound) break;
      push_start(start.rank);
      start = starts_.top();
    }
    std::vector<std::uint32_t> ranks;
    for (std::optional<std::uint32_t> rank = start.rank; rank; rank = onward(*rank).child)
      ranks.push_back(*rank);
    std::vector<TaskId> path;
    for (std::uint32_t rank : ranks) {
      path.push_back(order_[rank]);
      bound_[rank] = taken;
    }
    for (std::uint32_t rank : ranks)
      for (const Child& child : children(rank))
        if (--open_parents_[child.rank] == 0 && bound_[child.rank] != taken) push_start(child.rank);
    return path;
  }

 private:
  struct Child {
    std::uint32_t rank;
    Time delay{0};
  };
  struct Start {
    Time bound;
    TaskId task;
    std::uint32_t rank;
    /// Longest first, of equal ones the lowest task: the heap keeps its largest on top.
    friend bool operator<(const Start& a, const Start& b) {
      return a.bound != b.bound ? a.bound < b.bound : a.task > b.task;
    }
  };
  /// Where the longest path leads from a task, by the bounds; how long it is without the task, and how long
  /// it would be by way of any other child.
  struct Onward {
    std::optional<std::uint32_t> child;
    Time delay{0};
    Time length{0};
    Time otherwise{0};
  };

  /// The bound of a task that is in a cluster: no path leads through it.
  static constexpr Time taken = Time::min() / 2;

  void push_start(std::uint32_t rank) { starts_.push({bound_[rank], order_[rank], rank}); }

  [[nodiscard]] std::span<const Child> children(std::uint32_t rank) const {
    return {children_.data() + first_child_[rank], children_.data() + first_child_[rank + 1]};
  }

  [[nodiscard]] Onward onward(std::uint32_t rank) const {
    Onward best{.length = Time{-1}, .otherwise = Time{-1}};
    for (const auto& [child, delay] : children(rank)) {
      const Time length = delay + bound_[child];
      if (length > best.length) {
        best = {child, delay, length, best.length};
      } else {
        best.otherwise = std::max(best.otherwise, length);
      }
    }
    best.length = std::max(best.length, Time{0});
    return best;
  }

  /// Makes a task's bound the length of its longest path, by settling its best child until that stays the
  /// best.
  void settle(std::uint32_t rank) {
    stack_.push_back({rank, onward(rank)});
    while (!stack_.empty()) {
      auto& [at, best] = stack_.back();
      if (best.child && settled_in_[*best.child] != round_) {
        stack_.push_back({*best.child, onward(*best.child)});
        continue;
      }
      const Time length = best.child ? best.delay + bound_[*best.child] : Time{0};
      if (length < best.length && length <= best.otherwise) {
        best = onward(at);
        continue;
      }
      bound_[at] = duration_[at] + length;
      settled_in_[at] = round_;
      stack_.pop_back();
    }
  }

  struct Frame {
    std::uint32_t rank;
    Onward best;
  };

  std::vector<TaskId> order_;
  /// By rank.
  std::vector<Time> duration_, bound_;
  std::vector<std::uint32_t> open_parents_;
  std::vector<std::uint32_t> first_child_{0};
  std::vector<Child> children_;
  /// The round, counted from 1, in which a task's bound was last made exact.
  std::vector<std::uint32_t> settled_in_;
  std::uint32_t round_ = 0;
  std::priority_queue<Start> starts_;
  std::vector<Frame> stack_;
};

}  // namespace

Clustering lc(const DelayModel& model, const Options& options) {
  LongestPaths paths(model);
  std::vector<ProcessorId> cluster_of(model.graph().task_count());
  std::size_t count = 0;
  for (; !paths.empty(); ++count)
    for (TaskId task : paths.take_longest()) cluster_of[task.index()] = ProcessorId(count);
  // The first cluster is the longest path, the second one the longest of the rest, and so on.
  return numbered(place_assigned(model.averaged(count), cluster_of, options.trace));
}

Schedule lc(const TaskGraph& graph, const logp::Machine& machine, const Options& options) {
  const DelayModel model(graph, machine);
  return timed("lc", graph, machine, on_processors(model, lc(model, options), options));
}

}  // namespace takt::schedulers
