#include "schedulers/clustering/cluster_graph.hpp"

#include <algorithm>
#include <cstring>

namespace takt::schedulers {

ClusterGraph::ClusterGraph(const DelayModel& model) : model_(&model), order_(model.graph()) {
  const std::size_t n = model.graph().task_count();
  cluster_.assign(n, none);
  earliest_.assign(n, Time{0});
  level_.assign(n, Time{0});
  stale_start_.assign(n, 1);
  stale_level_.assign(n, 1);
  refresh_starts();
  refresh_levels();
}

Time ClusterGraph::delay(EdgeId id) const {
  const Edge edge = model_->graph().edge(id);
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

std::optional<ClusterGraph::Gap> ClusterGraph::first_gap(TaskId task, std::size_t cluster, Pushing pushing) {
  const std::vector<TaskId>& tasks = clusters_[cluster];
  const Time duration = model_->mean_duration(task);
  const Time earliest = earliest_start(task, cluster);
  const Time latest_end = latest_start(task, cluster) + duration;
  if (latest_end - earliest < duration) return std::nullopt;
  const auto until = [&](TaskId later) {
    return pushing == Pushing::none ? earliest_start(later) : latest_start(later);
  };
  // Both times rise along a cluster, so only gaps between these two positions are long enough.
  const auto begin =
      std::ranges::partition_point(tasks, [&](TaskId later) { return until(later) - earliest < duration; });
  for (auto next = begin;; ++next) {
    if (next != tasks.begin() && latest_end - earliest_end(*std::prev(next)) < duration) return std::nullopt;
    const Time start = next == tasks.begin() ? earliest : std::max(earliest, earliest_end(*std::prev(next)));
    const Time end = next == tasks.end() ? latest_end : std::min(latest_end, until(*next));
    const bool is_long_enough = end - start >= duration;
    if (is_long_enough && next != tasks.begin() && must_come_before(task, *std::prev(next)))
      return std::nullopt;
    if (is_long_enough && (next == tasks.end() || !must_come_after(task, *next)))
      return Gap{static_cast<std::size_t>(next - tasks.begin()), start};
    if (next == tasks.end()) return std::nullopt;
  }
}

bool ClusterGraph::must_come_after(TaskId task, TaskId other) {
  return earliest_end(other) <= earliest_start(task) && order_.needs(other);
}

bool ClusterGraph::must_come_before(TaskId task, TaskId other) {
  return earliest_end(task) <= earliest_start(other) && order_.is_needed_by(other);
}

void ClusterGraph::place(TaskId task, std::size_t cluster, std::size_t position) {
  if (cluster == clusters_.size()) clusters_.emplace_back();
  std::vector<TaskId>& tasks = clusters_[cluster];
  tasks.insert(tasks.begin() + static_cast<std::ptrdiff_t>(position), task);
  cluster_[task.index()] = static_cast<std::uint32_t>(cluster);
  const auto before = position > 0 ? std::optional(tasks[position - 1]) : std::nullopt;
  const auto after = position + 1 < tasks.size() ? std::optional(tasks[position + 1]) : std::nullopt;
  order_.put(task, before, after);
  // Edges within the cluster now count nothing; the task follows and precedes its neighbours there.
  const TaskGraph& graph = model_->graph();
  const auto start_is_stale = [&](TaskId each) { stale_start_[order_.rank(each)] = 1; };
  const auto level_is_stale = [&](TaskId each) { stale_level_[order_.rank(each)] = 1; };
  start_is_stale(task);
  level_is_stale(task);
  for (EdgeId edge : graph.out_edges(task)) start_is_stale(graph.edge(edge).to);
  for (EdgeId edge : graph.in_edges(task)) level_is_stale(graph.edge(edge).from);
  if (after) start_is_stale(*after);
  if (before) level_is_stale(*before);
  refresh_starts();
  refresh_levels();
}

Time ClusterGraph::start_of(TaskId task) const {
  const TaskGraph& graph = model_->graph();
  const auto before = order_.before(task);
  Time start = before ? earliest_end(*before) : Time{0};
  for (EdgeId edge : graph.in_edges(task))
    start = std::max(start, earliest_end(graph.edge(edge).from) + delay(edge));
  return start;
}

Time ClusterGraph::level_of(TaskId task) const {
  const TaskGraph& graph = model_->graph();
  const auto after = order_.after(task);
  Time below = after ? level_[after->index()] : Time{0};
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
    const TaskId task = order_.at(rank);
    const Time start = start_of(task);
    if (start == earliest_[task.index()]) continue;
    earliest_[task.index()] = start;
    for (EdgeId edge : graph.out_edges(task)) stale_start_[order_.rank(graph.edge(edge).to)] = 1;
    if (const auto after = order_.after(task)) stale_start_[order_.rank(*after)] = 1;
  }
}

void ClusterGraph::refresh_levels() {
  const TaskGraph& graph = model_->graph();
  bool has_changed = false;
  for (std::size_t end = order_.size(); end > 0;) {
    const void* const next = memrchr(stale_level_.data(), 1, end);
    if (next == nullptr) break;
    const auto rank = static_cast<std::size_t>(static_cast<const unsigned char*>(next) - stale_level_.data());
    end = rank;
    stale_level_[rank] = 0;
    const TaskId task = order_.at(rank);
    const Time level = level_of(task);
    if (level == level_[task.index()]) continue;
    level_[task.index()] = level;
    has_changed = true;
    for (EdgeId edge : graph.in_edges(task)) stale_level_[order_.rank(graph.edge(edge).from)] = 1;
    if (const auto before = order_.before(task)) stale_level_[order_.rank(*before)] = 1;
  }
  if (!has_changed) return;
  length_ = Time{0};
  for (Time level : level_) length_ = std::max(length_, level);
}

Timetable ClusterGraph::timetable() const {
  Timetable timetable(order_.size());
  for (TaskId task : model_->graph().tasks()) {
    timetable.processor[task.index()] = ProcessorId(cluster(task));
    timetable.start[task.index()] = earliest_start(task);
    timetable.end[task.index()] = earliest_end(task);
  }
  return timetable;
}

}  // namespace takt::schedulers
