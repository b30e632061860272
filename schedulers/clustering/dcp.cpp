#include "schedulers/clustering/dcp.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>

#include <fmt/format.h>

#include "schedulers/clustering/cluster_graph.hpp"
#include "schedulers/clustering/merging.hpp"

namespace takt::schedulers {

namespace {

class DynamicCriticalPath {
 public:
  explicit DynamicCriticalPath(const DelayModel& model) : model_(model), graph_(model) {
    for (TaskId task : model.graph().tasks()) unplaced_.push_back(task);
  }

  Timetable run(Trace* trace) && {
    while (!unplaced_.empty()) {
      const TaskId task = *std::ranges::min_element(unplaced_, {}, [this](TaskId t) { return urgency(t); });
      const Time mobility = graph_.mobility(task);
      const std::optional<TaskId> child = critical_child(task);
      const Place place = best_place(task, child);
      graph_.place(task, place.cluster, place.position);
      std::erase(unplaced_, task);
      if (trace != nullptr)
        trace->push_back({task, ProcessorId(place.cluster), graph_.earliest_start(task),
                          graph_.earliest_end(task), reason(mobility, child), considered_});
    }
    return graph_.timetable();
  }

 private:
  struct Place {
    std::size_t cluster = 0;
    std::size_t position = 0;
    Time start{0};
  };

  [[nodiscard]] std::tuple<Time, Time, TaskId> urgency(TaskId task) const {
    return {graph_.mobility(task), graph_.earliest_start(task), task};
  }

  [[nodiscard]] Place best_place(TaskId task, std::optional<TaskId> child) {
    graph_.look_around(task);
    std::optional<Place> best;
    Time least{0};
    considered_.clear();
    for (std::size_t cluster : candidates(task)) {
      const std::optional<Place> place = place_in(task, cluster);
      if (!place) continue;
      considered_.push_back({ProcessorId(cluster), place->start});
      const Time sum = place->start + (child ? start_after(task, *place, *child) : Time{0});
      if (best && sum >= least) continue;
      best = place;
      least = sum;
    }
    return *best;
  }

  [[nodiscard]] std::string reason(Time mobility, std::optional<TaskId> child) const {
    return fmt::format("least latest - earliest start {}, starts first{}", mobility.count(),
                       child ? fmt::format(" with successor '{}'", model_.graph().task(*child).name) : "");
  }

  /// Returns the clusters of the task's parents and children, oldest first, then a new one, which always has
  /// room.
  [[nodiscard]] std::vector<std::size_t> candidates(TaskId task) const {
    const TaskGraph& graph = model_.graph();
    std::vector<std::size_t> clusters;
    auto add = [&](TaskId other) {
      if (graph_.placed(other)) clusters.push_back(graph_.cluster(other));
    };
    for (EdgeId edge : graph.in_edges(task)) add(graph.edge(edge).from);
    for (EdgeId edge : graph.out_edges(task)) add(graph.edge(edge).to);
    std::sort(clusters.begin(), clusters.end());
    clusters.erase(std::unique(clusters.begin(), clusters.end()), clusters.end());
    clusters.push_back(graph_.cluster_count());
    return clusters;
  }

  [[nodiscard]] std::optional<TaskId> critical_child(TaskId task) const {
    std::optional<TaskId> critical;
    for (EdgeId edge : model_.graph().out_edges(task)) {
      const TaskId child = model_.graph().edge(edge).to;
      if (!graph_.placed(child) && (!critical || urgency(child) < urgency(*critical))) critical = child;
    }
    return critical;
  }

  [[nodiscard]] std::optional<Place> place_in(TaskId task, std::size_t cluster) {
    if (cluster == graph_.cluster_count()) return Place{cluster, 0, graph_.earliest_start(task)};
    for (const auto pushing : {ClusterGraph::Pushing::none, ClusterGraph::Pushing::to_latest_starts})
      if (const auto gap = graph_.first_gap(task, cluster, pushing))
        return Place{cluster, gap->position, gap->start};
    return std::nullopt;
  }

  /// Returns the child's start after the task in the same cluster, without delaying any task.
  [[nodiscard]] Time start_after(TaskId task, const Place& place, TaskId child) const {
    const TaskGraph& graph = model_.graph();
    const Time duration = model_.mean_duration(child);
    Time start = place.start + model_.mean_duration(task);
    for (EdgeId edge : graph.in_edges(child)) {
      const TaskId parent = graph.edge(edge).from;
      if (parent == task) continue;
      const bool together = graph_.placed(parent) && graph_.cluster(parent) == place.cluster;
      start = std::max(start, graph_.earliest_end(parent) + (together ? Time{0} : model_.mean_delay(edge)));
    }
    if (place.cluster == graph_.cluster_count()) return start;
    for (TaskId other : graph_.tasks(place.cluster).subspan(place.position)) {
      if (graph_.earliest_start(other) - start >= duration) break;
      start = std::max(start, graph_.earliest_end(other));
    }
    return start;
  }

  const DelayModel& model_;
  ClusterGraph graph_;
  std::vector<TaskId> unplaced_;
  /// Starts of the last placed task in the considered clusters.
  std::vector<Slot> considered_;
};

}  // namespace

Clustering dcp(const DelayModel& model, const Options& options) {
  return numbered(DynamicCriticalPath(model).run(options.trace));
}

Schedule dcp(const TaskGraph& graph, const logp::Machine& machine, const Options& options) {
  const DelayModel model(graph, machine);
  return timed("dcp", graph, machine, on_processors(model, dcp(model, options), options));
}

}  // namespace takt::schedulers
