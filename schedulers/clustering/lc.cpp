#include "schedulers/clustering/lc.hpp"

#include <algorithm>
#include <optional>
#include <queue>

#include <fmt/format.h>

#include "schedulers/clustering/merging.hpp"
#include "schedulers/delay/assignment.hpp"

namespace takt::schedulers {

namespace {

/// The longest paths of the tasks without a cluster. Such a path only becomes shorter as tasks leave, so
/// earlier lengths are upper bounds; a bound is updated only when it might be the best.
///
/// Tasks are numbered by their ranks in topological order, so that tasks used together are close in
/// memory.
class LongestPaths {
 public:
  explicit LongestPaths(const DelayModel& model) {
    const TaskGraph& graph = model.graph();
    const auto order = graph.topological_order();
    order_.assign(order.begin(), order.end());
    std::vector<std::uint32_t> rank_of(order_.size());
    for (std::uint32_t rank = 0; rank < order_.size(); ++rank) rank_of[order_[rank].index()] = rank;
    const std::vector<Time> level = b_levels(model);
    nodes_.reserve(order_.size() + 1);
    children_.reserve(graph.edge_count());
    for (TaskId task : order_) {
      const Time duration = model.mean_duration(task);
      const auto first_child = static_cast<std::uint32_t>(children_.size());
      nodes_.push_back({level[task.index()] - duration, first_child, 0});
      duration_.push_back(duration);
      open_parents_.push_back(static_cast<std::uint32_t>(graph.in_edges(task).size()));
      for (EdgeId edge : graph.out_edges(task)) {
        const TaskId child = graph.edge(edge).to;
        children_.push_back({rank_of[child.index()], model.mean_delay(edge) + model.mean_duration(child)});
      }
      // Of equal ones the first counts: the lowest task.
      std::sort(children_.begin() + first_child, children_.end(),
                [this](const Child& a, const Child& b) { return order_[a.rank] < order_[b.rank]; });
    }
    left_ = order_.size();
    nodes_.push_back({taken, static_cast<std::uint32_t>(children_.size()), 0});
    for (std::uint32_t rank = 0; rank < order_.size(); ++rank)
      if (open_parents_[rank] == 0) push_start(rank);
  }

  [[nodiscard]] bool empty() const { return starts_.empty(); }

  /// Removes the tasks of the longest path and returns them in order.
  std::vector<TaskId> take_longest() {
    ++round_;
    if (mostly_stale_) settle_all();
    const std::size_t settled_before = settled_count_;
    // The first start with an exact bound is the best: all other bounds are no better.
    Start start = starts_.top();
    while (true) {
      starts_.pop();
      settle(start.rank);
      if (bound(start.rank) == start.bound) break;
      push_start(start.rank);
      start = starts_.top();
    }
    if (!mostly_stale_) mostly_stale_ = is_most(settled_count_ - settled_before);
    std::vector<std::uint32_t> ranks;
    for (std::optional<std::uint32_t> rank = start.rank; rank; rank = onward(*rank).child)
      ranks.push_back(*rank);
    std::vector<TaskId> path;
    for (std::uint32_t rank : ranks) {
      path.push_back(order_[rank]);
      --left_;
      nodes_[rank].below = taken;
    }
    for (std::uint32_t rank : ranks)
      for (const Child& child : children(rank))
        if (--open_parents_[child.rank] == 0 && nodes_[child.rank].below != taken) push_start(child.rank);
    return path;
  }

 private:
  /// The frequently used data of a task, close together.
  struct Node {
    /// Bound of the longest path from the task, without the task itself.
    Time below;
    std::uint32_t first_child;
    /// The iteration, counted from 1, in which the bound was last made exact.
    std::uint32_t settled_in;
  };
  struct Child {
    std::uint32_t rank;
    /// Length of the edge and the child.
    Time length{0};
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
  /// Next task on the longest path by the bounds; length of its edge and itself, of the path without the
  /// current task, and of the longest path through any other child.
  struct Onward {
    std::optional<std::uint32_t> child;
    Time first{0};
    Time length{0};
    Time otherwise{0};
  };

  /// The bound of a task that is in a cluster: no path leads through it.
  static constexpr Time taken = Time::min() / 2;

  [[nodiscard]] Time bound(std::uint32_t rank) const { return duration_[rank] + nodes_[rank].below; }
  void push_start(std::uint32_t rank) { starts_.push({bound(rank), order_[rank], rank}); }

  [[nodiscard]] std::span<const Child> children(std::uint32_t rank) const {
    return {children_.data() + nodes_[rank].first_child, children_.data() + nodes_[rank + 1].first_child};
  }

  [[nodiscard]] Onward onward(std::uint32_t rank) const {
    Onward best{.length = Time{-1}, .otherwise = Time{-1}};
    for (const auto& [child, first] : children(rank)) {
      const Time length = first + nodes_[child].below;
      if (length > best.length) {
        best = {child, first, length, best.length};
      } else {
        best.otherwise = std::max(best.otherwise, length);
      }
    }
    best.length = std::max(best.length, Time{0});
    return best;
  }

  /// Makes a task's bound the length of its longest path: settles its best child until that child remains the
  /// best.
  void settle(std::uint32_t rank) {
    stack_.push_back({rank, onward(rank)});
    while (!stack_.empty()) {
      auto& [at, best] = stack_.back();
      if (best.child && nodes_[*best.child].settled_in != round_) {
        stack_.push_back({*best.child, onward(*best.child)});
        continue;
      }
      const Time length = best.child ? best.first + nodes_[*best.child].below : Time{0};
      if (length < best.length && length <= best.otherwise) {
        best = onward(at);
        continue;
      }
      nodes_[at].below = length;
      nodes_[at].settled_in = round_;
      ++settled_count_;
      stack_.pop_back();
    }
  }

  /// Makes all bounds exact in one sweep, which is faster when most of them are stale.
  void settle_all() {
    std::size_t stale = 0;
    for (auto rank = static_cast<std::uint32_t>(order_.size()); rank-- > 0;) {
      Node& node = nodes_[rank];
      if (node.below == taken) continue;
      Time below{0};
      for (const auto& [child, first] : children(rank)) below = std::max(below, first + nodes_[child].below);
      if (node.below != below) ++stale;
      node.below = below;
      node.settled_in = round_;
    }
    mostly_stale_ = is_most(stale);
  }

  /// A sweep examines a task several times as fast.
  [[nodiscard]] bool is_most(std::size_t tasks) const { return tasks > left_ / 8; }

  struct Frame {
    std::uint32_t rank;
    Onward best;
  };

  std::vector<TaskId> order_;
  /// By rank, and one more as the end of the last one's children.
  std::vector<Node> nodes_;
  std::vector<Child> children_;
  /// By rank.
  std::vector<Time> duration_;
  std::vector<std::uint32_t> open_parents_;
  std::uint32_t round_ = 0;
  /// Tasks without a cluster; number of settled tasks;
  /// whether most bounds were stale in the last iteration.
  std::size_t left_ = 0, settled_count_ = 0;
  bool mostly_stale_ = false;
  std::priority_queue<Start> starts_;
  std::vector<Frame> stack_;
};

/// Returns the length of a path with its edges; the longest of several edges between two tasks counts.
Time length_of(const DelayModel& model, const std::vector<TaskId>& path) {
  Time length{0};
  for (std::size_t i = 0; i < path.size(); ++i) {
    length += model.mean_duration(path[i]);
    Time delay{0};
    for (EdgeId edge : model.graph().out_edges(path[i]))
      if (i + 1 < path.size() && model.graph().edge(edge).to == path[i + 1])
        delay = std::max(delay, model.mean_delay(edge));
    length += delay;
  }
  return length;
}

void trace_steps(const DelayModel& model, const std::vector<std::vector<TaskId>>& clusters,
                 const Timetable& timetable, Trace& trace) {
  for (std::size_t c = 0; c < clusters.size(); ++c) {
    const Time length = length_of(model, clusters[c]);
    for (std::size_t i = 0; i < clusters[c].size(); ++i) {
      const TaskId task = clusters[c][i];
      trace.push_back({task, ProcessorId(c), timetable.start[task.index()], timetable.end[task.index()],
                       fmt::format("{} of {} on the longest path left, of length {}", i + 1,
                                   clusters[c].size(), length.count())});
    }
  }
}

}  // namespace

Clustering lc(const DelayModel& model, const Options& options) {
  LongestPaths paths(model);
  std::vector<ProcessorId> cluster_of(model.graph().task_count());
  std::vector<std::vector<TaskId>> clusters;
  while (!paths.empty()) {
    clusters.push_back(paths.take_longest());
    for (TaskId task : clusters.back()) cluster_of[task.index()] = ProcessorId(clusters.size() - 1);
  }
  // The first cluster is the longest path, the second one the longest of the rest, and so on.
  Timetable timetable = place_assigned(model.averaged(clusters.size()), cluster_of);
  if (options.trace != nullptr) trace_steps(model, clusters, timetable, *options.trace);
  return numbered(std::move(timetable));
}

Schedule lc(const TaskGraph& graph, const logp::Machine& machine, const Options& options) {
  const DelayModel model(graph, machine);
  return timed("lc", graph, machine, on_processors(model, lc(model, options), options));
}

}  // namespace takt::schedulers
