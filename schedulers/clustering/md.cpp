#include "schedulers/clustering/md.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "schedulers/clustering/cluster_graph.hpp"
#include "schedulers/clustering/merging.hpp"

namespace takt::schedulers {

namespace {

class MobilityDirected {
 public:
  explicit MobilityDirected(const DelayModel& model) : model_(model), graph_(model) {
    for (TaskId task : model.graph().tasks()) unplaced_.push_back(task);
  }

  Timetable run(Trace* trace) && {
    while (!unplaced_.empty()) {
      const TaskId task = next();
      const double mobility = relative_mobility(task);
      const Place place = first_place(task);
      graph_.place(task, place.cluster, place.position);
      std::erase(unplaced_, task);
      if (trace != nullptr)
        trace->push_back({task, ProcessorId(place.cluster), graph_.earliest_start(task),
                          graph_.earliest_end(task),
                          fmt::format("least relative mobility {:.3f}, first cluster with a slot", mobility),
                          considered_});
    }
    return graph_.timetable();
  }

 private:
  struct Place {
    std::size_t cluster;
    std::size_t position;
  };

  [[nodiscard]] double relative_mobility(TaskId task) const {
    const auto mobility = static_cast<double>(graph_.mobility(task).count());
    const auto duration = static_cast<double>(model_.mean_duration(task).count());
    if (duration > 0) return mobility / duration;
    return mobility > 0 ? std::numeric_limits<double>::infinity() : 0.0;
  }

  /// Returns the task of least mobility; of equal ones one without a parent among them.
  [[nodiscard]] TaskId next() const {
    double least = std::numeric_limits<double>::infinity();
    for (TaskId task : unplaced_) least = std::min(least, relative_mobility(task));
    auto in_group = [&](TaskId task) { return !graph_.placed(task) && relative_mobility(task) == least; };
    const TaskGraph& graph = model_.graph();
    // Some task of the group has no parent in it, as the graph has no cycle.
    return *std::find_if(unplaced_.begin(), unplaced_.end(), [&](TaskId task) {
      return in_group(task) && std::ranges::none_of(graph.in_edges(task), [&](EdgeId edge) {
               return in_group(graph.edge(edge).from);
             });
    });
  }

  [[nodiscard]] Place first_place(TaskId task) {
    graph_.look_around(task);
    considered_.clear();
    for (std::size_t cluster = 0; cluster < graph_.cluster_count(); ++cluster) {
      considered_.push_back({ProcessorId(cluster), graph_.earliest_start(task, cluster)});
      if (const auto gap = graph_.first_gap(task, cluster, ClusterGraph::Pushing::to_latest_starts))
        return {cluster, gap->position};
    }
    considered_.push_back({ProcessorId(graph_.cluster_count()), graph_.earliest_start(task)});
    return {graph_.cluster_count(), 0};
  }

  const DelayModel& model_;
  ClusterGraph graph_;
  /// In the order of their ids.
  std::vector<TaskId> unplaced_;
  /// Of the last placed task: the tried clusters, and the arrival of its data there.
  std::vector<Slot> considered_;
};

}  // namespace

Clustering md(const DelayModel& model, const Options& options) {
  return numbered(MobilityDirected(model).run(options.trace));
}

Schedule md(const TaskGraph& graph, const logp::Machine& machine, const Options& options) {
  const DelayModel model(graph, machine);
  return timed("md", graph, machine, on_processors(model, md(model, options), options));
}

}  // namespace takt::schedulers
