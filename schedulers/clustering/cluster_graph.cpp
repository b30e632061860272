#include "schedulers/clustering/cluster_graph.hpp"

#include <algorithm>
#include <cstring>

namespace takt::schedulers {

ClusterGraph::ClusterGraph(const DelayModel& model) : model_(&model) {
  const std::size_t n = model.graph().task_count();
  cluster_.assign(n, none);
  before_.assign(n, none);
  after_.assign(n, none);
  earliest_.assign(n, Time{0});
  level_.assign(n, Time{0});
  rank_.resize(n);
  needed_.assign(n, 0);
  needs_.assign(n, 0);
  stale_start_.assign(n, 1);
  stale_level_.assign(n, 1);
  order_anew();
  refresh_starts();
  refresh_levels();
}

Time ClusterGraph::delay(EdgeId id) const {
  const Edge& edge = model_->graph().edge(id);
  const std::uint32_t from = cluster_[edge.from.index()];
  return from != none && from == cluster_[edge.to.index()] ? Time{0} : model_->mean_delay(id);
}

Time ClusterGraph::earliest_start(TaskId task, std::size_t cluster) const {
  Time start{0};
  for (EdgeId edge : model_->graph().in_edges(task)) {
    const TaskId parent = model_->graph().edge(edge).from;
    const Time delay = cluster_[parent.index()] == cluster ? Time{0} : model_->mean_delay(edge);
    start = std::max(start, earliest_end(parent) + delay);
  }
  return start;
}

Time ClusterGraph::latest_start(TaskId task, std::size_t cluster) const {
  Time end = length_;
  for (EdgeId edge : model_->graph().out_edges(task)) {
    const TaskId child = model_->graph().edge(edge).to;
    const Time delay = cluster_[child.index()] == cluster ? Time{0} : model_->mean_delay(edge);
    end = std::min(end, latest_start(child) - delay);
  }
  return end - model_->mean_duration(task);
}

void ClusterGraph::look_around(TaskId task) {
  ++look_;
  mark(task, false, needed_);
  mark(task, true, needs_);
}

void ClusterGraph::mark(TaskId task, bool out, std::vector<std::uint32_t>& marks) {
  const TaskGraph& graph = model_->graph();
  auto meet = [&](TaskId other) {
    if (marks[other.index()] == look_) return;
    marks[other.index()] = look_;
    stack_.push_back(other);
  };
  stack_.push_back(task);
  while (!stack_.empty()) {
    const TaskId at = stack_.back();
    stack_.pop_back();
    for (EdgeId edge : out ? graph.out_edges(at) : graph.in_edges(at))
      meet(out ? graph.edge(edge).to : graph.edge(edge).from);
    const std::uint32_t neighbour = (out ? after_ : before_)[at.index()];
    if (neighbour != none) meet(TaskId(neighbour));
  }
}

ClusterGraph::Positions ClusterGraph::positions(std::size_t cluster) const {
  const std::vector<TaskId>& tasks = clusters_[cluster];
  const auto first = std::partition_point(tasks.begin(), tasks.end(),
                                          [&](TaskId task) { return needed_[task.index()] == look_; });
  const auto last =
      std::partition_point(first, tasks.end(), [&](TaskId task) { return needs_[task.index()] != look_; });
  return {static_cast<std::size_t>(first - tasks.begin()), static_cast<std::size_t>(last - tasks.begin())};
}

void ClusterGraph::place(TaskId task, std::size_t cluster, std::size_t position) {
  if (cluster == clusters_.size()) clusters_.emplace_back();
  std::vector<TaskId>& tasks = clusters_[cluster];
  tasks.insert(tasks.begin() + static_cast<std::ptrdiff_t>(position), task);
  cluster_[task.index()] = static_cast<std::uint32_t>(cluster);
  auto follow = [&](TaskId a, TaskId b) {
    after_[a.index()] = static_cast<std::uint32_t>(b.index());
    before_[b.index()] = static_cast<std::uint32_t>(a.index());
    return rank_[a.index()] < rank_[b.index()];
  };
  bool in_order = true;
  if (position > 0) in_order = follow(tasks[position - 1], task) && in_order;
  if (position + 1 < tasks.size()) in_order = follow(task, tasks[position + 1]) && in_order;
  if (!in_order) order_anew();
  // Edges within the cluster count nothing any more, and it has its neighbours to follow and to precede.
  const TaskGraph& graph = model_->graph();
  const auto start_is_stale = [&](TaskId each) { stale_start_[rank_[each.index()]] = 1; };
  const auto level_is_stale = [&](TaskId each) { stale_level_[rank_[each.index()]] = 1; };
  start_is_stale(task);
  level_is_stale(task);
  for (EdgeId edge : graph.out_edges(task)) start_is_stale(graph.edge(edge).to);
  for (EdgeId edge : graph.in_edges(task)) level_is_stale(graph.edge(edge).from);
  if (position + 1 < tasks.size()) start_is_stale(tasks[position + 1]);
  if (position > 0) level_is_stale(tasks[position - 1]);
  refresh_starts();
  refresh_levels();
}

void ClusterGraph::order_anew() {
  const TaskGraph& graph = model_->graph();
  std::vector<std::uint32_t> open(graph.task_count());
  order_.clear();
  for (TaskId task : graph.tasks()) {
    open[task.index()] =
        static_cast<std::uint32_t>(graph.in_edges(task).size()) + (before_[task.index()] != none ? 1 : 0);
    if (open[task.index()] == 0) order_.push_back(task);
  }
  auto come = [&](TaskId task) {
    if (--open[task.index()] == 0) order_.push_back(task);
  };
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const TaskId task = order_[i];
    rank_[task.index()] = static_cast<std::uint32_t>(i);
    for (EdgeId edge : graph.out_edges(task)) come(graph.edge(edge).to);
    if (after_[task.index()] != none) come(TaskId(after_[task.index()]));
  }
}

Time ClusterGraph::start_of(TaskId task) const {
  const TaskGraph& graph = model_->graph();
  const std::uint32_t before = before_[task.index()];
  Time start = before == none ? Time{0} : earliest_end(TaskId(before));
  for (EdgeId edge : graph.in_edges(task))
    start = std::max(start, earliest_end(graph.edge(edge).from) + delay(edge));
  return start;
}

Time ClusterGraph::level_of(TaskId task) const {
  const TaskGraph& graph = model_->graph();
  const std::uint32_t after = after_[task.index()];
  Time below = after == none ? Time{0} : level_[after];
  for (EdgeId edge : graph.out_edges(task))
    below = std::max(below, delay(edge) + level_[graph.edge(edge).to.index()]);
  return model_->mean_duration(task) + below;
}

void ClusterGraph::refresh_starts() {
  const TaskGraph& graph = model_->graph();
  const std::size_t n = order_.size();
  for (std::size_t rank = 0; rank < n; ++rank) {
    const void* const next = std::memchr(stale_start_.data() + rank, 1, n - rank);
    if (next == nullptr) return;
    rank = static_cast<std::size_t>(static_cast<const unsigned char*>(next) - stale_start_.data());
    stale_start_[rank] = 0;
    const TaskId task = order_[rank];
    const Time start = start_of(task);
    if (start == earliest_[task.index()]) continue;
    earliest_[task.index()] = start;
    for (EdgeId edge : graph.out_edges(task)) stale_start_[rank_[graph.edge(edge).to.index()]] = 1;
    if (after_[task.index()] != none) stale_start_[rank_[after_[task.index()]]] = 1;
  }
}

void ClusterGraph::refresh_levels() {
  const TaskGraph& graph = model_->graph();
  bool has_changed = false;
  for (std::size_t rank = order_.size(); rank-- > 0;) {
    if (stale_level_[rank] == 0) continue;
    stale_level_[rank] = 0;
    const TaskId task = order_[rank];
    const Time level = level_of(task);
    if (level == level_[task.index()]) continue;
    level_[task.index()] = level;
    has_changed = true;
    for (EdgeId edge : graph.in_edges(task)) stale_level_[rank_[graph.edge(edge).from.index()]] = 1;
    if (before_[task.index()] != none) stale_level_[rank_[before_[task.index()]]] = 1;
  }
  if (!has_changed) return;
  length_ = Time{0};
  for (Time level : level_) length_ = std::max(length_, level);
}

Timetable ClusterGraph::timetable() const {
  Timetable timetable(order_.size());
  for (TaskId task : order_) {
    timetable.processor[task.index()] = ProcessorId(cluster(task));
    timetable.start[task.index()] = earliest_start(task);
    timetable.end[task.index()] = earliest_end(task);
  }
  return timetable;
}

}  // namespace takt::schedulers
