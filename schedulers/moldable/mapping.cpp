#include "schedulers/moldable/mapping.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <queue>
#include <set>
#include <tuple>

#include "logp/redistribution.hpp"
#include "schedulers/moldable/shared_lines.hpp"

namespace takt::schedulers {

namespace {

/// Costs between two processors of different nodes of a cluster, or the nearest equivalent.
const logp::LinkCosts& costs_between(const logp::Machine& machine, const Clusters& clusters, std::size_t from,
                                     std::size_t to) {
  const std::vector<ProcessorId>&a = clusters.list[from].processors, &b = clusters.list[to].processors;
  return machine.costs(a.front(), b.back());
}

class Mapper {
 public:
  Mapper(const TaskGraph& graph, const logp::Machine& machine, const Clusters& clusters,
         const GroupSizes& sizes, GroupMapping mapping)
      : graph_(graph),
        machine_(machine),
        clusters_(clusters),
        sizes_(sizes),
        mapping_(mapping),
        level_(bottom_levels(graph, machine, clusters, sizes)),
        timeline_(graph, machine, clusters, mapping != GroupMapping::ff),
        lines_(machine, clusters) {}

  GroupTimeline map() && {
    std::vector<std::size_t> open(graph_.task_count());
    for (TaskId task : graph_.tasks()) {
      open[task.index()] = graph_.in_edges(task).size();
      if (open[task.index()] == 0) make_ready(task);
    }
    place_ready();
    while (!running_.empty()) {
      const Time now = std::get<0>(running_.top());
      while (!running_.empty() && std::get<0>(running_.top()) == now) {
        const TaskId done = std::get<1>(running_.top());
        running_.pop();
        for (EdgeId edge : graph_.out_edges(done)) {
          const TaskId next = graph_.edge(edge).to;
          if (--open[next.index()] == 0) make_ready(next);
        }
      }
      place_ready();
    }
    return std::move(timeline_);
  }

 private:
  void make_ready(TaskId task) { ready_.insert({-level_[task.index()], task}); }

  void place_ready() {
    for (const auto& [level, task] : ready_) {
      GroupPlacement placement = choose(task);
      if (mapping_ == GroupMapping::look_ahead) reserve_lines(task, placement);
      running_.push({placement.end, task});
      timeline_.place(task, std::move(placement));
    }
    ready_.clear();
  }

  GroupPlacement choose(TaskId task) const {
    std::optional<GroupPlacement> best;
    std::tuple<double, Time> least;
    for (std::size_t cluster = 0; cluster < clusters_.count(); ++cluster) {
      const std::size_t count = sizes_.of(task, cluster);
      if (count == 0) continue;
      GroupPlacement found = timeline_.find(task, cluster, count);
      if (mapping_ == GroupMapping::look_ahead) wait_for_lines(task, found);
      const double first = mapping_ == GroupMapping::ff           ? static_cast<double>(found.start.count())
                           : mapping_ == GroupMapping::look_ahead ? last_successor(task, found)
                                                                  : 0;
      const auto value = std::tuple(first, mapping_ == GroupMapping::ff ? Time{0} : found.end);
      if (best && value >= least) continue;
      least = value;
      best = std::move(found);
    }
    return std::move(best).value();
  }

  /// Delays a placement until its data have arrived over shared lines.
  void wait_for_lines(TaskId task, GroupPlacement& placement) const {
    const Time length = placement.end - placement.start;
    for (EdgeId id : graph_.in_edges(task)) {
      const Edge edge = graph_.edge(id);
      const GroupPlacement& from = timeline_.placement(edge.from);
      const Time alone = logp::redistribution_time(machine_, from.group, placement.group, edge.size);
      placement.start =
          std::max(placement.start, lines_.arrival(edge, from.cluster, from.end, alone, placement.cluster));
    }
    placement.end = placement.start + length;
  }

  void reserve_lines(TaskId task, const GroupPlacement& placement) {
    for (EdgeId id : graph_.in_edges(task)) {
      const Edge edge = graph_.edge(id);
      const GroupPlacement& from = timeline_.placement(edge.from);
      if (from.group != placement.group) lines_.reserve(edge, from.cluster, from.end, placement.cluster);
    }
  }

  /// Returns the end of the last successor, each on its earliest end, as far as its other inputs are known.
  double last_successor(TaskId task, const GroupPlacement& placement) const {
    double last = static_cast<double>(placement.end.count());
    for (EdgeId id : graph_.out_edges(task)) {
      const TaskId successor = graph_.edge(id).to;
      std::optional<double> earliest;
      for (std::size_t cluster = 0; cluster < clusters_.count(); ++cluster) {
        const std::size_t count = sizes_.of(successor, cluster);
        if (count == 0) continue;
        auto start = static_cast<double>(timeline_.free_from(cluster, count, placement).count());
        for (EdgeId input : graph_.in_edges(successor)) {
          const Edge edge = graph_.edge(input);
          if (edge.from != task && !timeline_.is_placed(edge.from)) continue;
          const GroupPlacement& from = edge.from == task ? placement : timeline_.placement(edge.from);
          // A group of the same size can be the same one, without a redistribution.
          const bool can_stay = from.cluster == cluster && from.group.size() == count;
          const double alone = can_stay ? 0
                                        : logp::estimated_redistribution(
                                              costs_between(machine_, clusters_, from.cluster, cluster),
                                              from.group.size(), count, edge.size);
          const Time there = lines_.arrival(edge, from.cluster, from.end, Time(std::llround(alone)), cluster);
          start = std::max(start, static_cast<double>(there.count()));
        }
        const double end = start + graph_.task(successor).time_on(count) / clusters_.list[cluster].speed;
        if (!earliest || end < *earliest) earliest = end;
      }
      last = std::max(last, *earliest);
    }
    return last;
  }

  const TaskGraph& graph_;
  const logp::Machine& machine_;
  const Clusters& clusters_;
  const GroupSizes& sizes_;
  GroupMapping mapping_;
  std::vector<double> level_;
  GroupTimeline timeline_;
  SharedLines lines_;
  std::set<std::pair<double, TaskId>> ready_;
  using Running = std::tuple<Time, TaskId>;
  std::priority_queue<Running, std::vector<Running>, std::greater<>> running_;
};

/// Times the same groups in the same order, as early as possible: without shared lines, the times of a plan.
GroupTimeline timed_again(const GroupTimeline& decided, bool shares_lines) {
  const TaskGraph& graph = decided.graph();
  std::vector<TaskId> order(graph.topological_order().begin(), graph.topological_order().end());
  std::ranges::stable_sort(order, {}, [&](TaskId task) { return decided.placement(task).start; });
  GroupTimeline timeline(graph, decided.machine(), decided.clusters());
  SharedLines lines(decided.machine(), decided.clusters());
  for (TaskId task : order) {
    GroupPlacement placement = decided.placement(task);
    const Time length = placement.end - placement.start;
    placement.start = Time{0};
    for (ProcessorId p : placement.group) placement.start = std::max(placement.start, timeline.free_from(p));
    for (EdgeId id : graph.in_edges(task)) {
      const Edge edge = graph.edge(id);
      const GroupPlacement& from = timeline.placement(edge.from);
      const Time alone = logp::redistribution_time(decided.machine(), from.group, placement.group, edge.size);
      const Time there = shares_lines ? lines.arrival(edge, from.cluster, from.end, alone, placement.cluster)
                                      : from.end + alone;
      placement.start = std::max(placement.start, there);
      if (alone > Time{0}) lines.reserve(edge, from.cluster, from.end, placement.cluster);
    }
    placement.end = placement.start + length;
    timeline.place(task, std::move(placement));
  }
  return timeline;
}

}  // namespace

std::size_t GroupSizes::largest(TaskId task) const {
  std::size_t most = 0;
  for (std::size_t cluster = 0; cluster < clusters_; ++cluster) most = std::max(most, of(task, cluster));
  return most;
}

std::vector<double> bottom_levels(const TaskGraph& graph, const logp::Machine& machine,
                                  const Clusters& clusters, const GroupSizes& sizes) {
  std::size_t largest = 0;
  for (std::size_t i = 0; i < clusters.count(); ++i)
    if (clusters.list[i].size() > clusters.list[largest].size()) largest = i;
  const logp::LinkCosts& costs = costs_between(machine, clusters, largest, largest);
  std::vector<double> level(graph.task_count(), 0);
  const auto order = graph.topological_order();
  for (std::size_t i = order.size(); i-- > 0;) {
    const TaskId task = order[i];
    const std::size_t count = sizes.largest(task);
    double after = 0;
    for (EdgeId id : graph.out_edges(task)) {
      const Edge edge = graph.edge(id);
      after = std::max(after, level[edge.to.index()] + logp::estimated_redistribution(
                                                           costs, count, sizes.largest(edge.to), edge.size));
    }
    level[task.index()] = after + graph.task(task).time_on(count) / clusters.fastest();
  }
  return level;
}

GroupTimeline map_groups(const TaskGraph& graph, const logp::Machine& machine, const Clusters& clusters,
                         const GroupSizes& sizes, GroupMapping mapping) {
  if (mapping == GroupMapping::best) {
    GroupTimeline looking = map_groups(graph, machine, clusters, sizes, GroupMapping::look_ahead),
                  first = map_groups(graph, machine, clusters, sizes, GroupMapping::ff);
    const bool is_better = makespan_on_shared_lines(first) < makespan_on_shared_lines(looking);
    return is_better ? std::move(first) : std::move(looking);
  }
  GroupTimeline mapped = Mapper(graph, machine, clusters, sizes, mapping).map();
  if (mapping == GroupMapping::ff) return timed_again(mapped, false);
  if (mapping == GroupMapping::eft) return mapped;
  GroupTimeline plain = Mapper(graph, machine, clusters, sizes, GroupMapping::eft).map();
  GroupTimeline looking = timed_again(mapped, false);
  const bool is_better = makespan_on_shared_lines(looking) < makespan_on_shared_lines(plain);
  return is_better ? std::move(looking) : std::move(plain);
}

Time makespan_on_shared_lines(const GroupTimeline& mapped) {
  return timed_again(mapped, true).makespan();
}

}  // namespace takt::schedulers
