#include "schedulers/clustering/merging.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "schedulers/clustering/cluster_placement.hpp"
#include "schedulers/delay/assignment.hpp"

namespace takt::schedulers {

namespace {

/// Sum of the durations of a cluster's tasks on one processor.
class ClusterWork {
 public:
  ClusterWork(const DelayModel& model, const Clustering& clustering)
      : model_(model), tasks_(clustering.count), mean_(clustering.count, Time{0}) {
    for (TaskId task : model.graph().tasks()) {
      const std::size_t cluster = clustering.timetable.processor[task.index()].index();
      tasks_[cluster].push_back(task);
      mean_[cluster] += model.mean_duration(task);
    }
  }

  [[nodiscard]] Time on(std::size_t cluster, ProcessorId p) const {
    if (model_.homogeneous()) return mean_[cluster];
    Time sum{0};
    for (TaskId task : tasks_[cluster]) sum += model_.duration(task, p);
    return sum;
  }

  /// Returns the clusters in falling order of their work.
  [[nodiscard]] std::vector<std::size_t> heaviest_first() const {
    std::vector<std::size_t> order(tasks_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return mean_[a] > mean_[b]; });
    return order;
  }

 private:
  const DelayModel& model_;
  std::vector<std::vector<TaskId>> tasks_;
  std::vector<Time> mean_;
};

}  // namespace

Timetable on_processors(const DelayModel& model, Clustering clustering, const Options& options) {
  if (options.trace != nullptr)
    for (Step& step : *options.trace) step.place = Place::cluster;
  if (clustering.count <= model.processor_count() && model.homogeneous())
    return std::move(clustering.timetable);
  const std::vector<Time> level = b_levels(model.averaged(clustering.count), clustering.timetable.processor);
  std::optional<Timetable> best;
  Trace best_steps;
  std::string lengths;
  const auto try_placing = [&](std::string_view way, Homes homes, NewHome new_home) {
    Trace steps;
    Timetable timetable = place_clusters(model, clustering, level, std::move(homes), new_home,
                                         options.trace != nullptr ? &steps : nullptr);
    lengths += fmt::format("{}{} {}", lengths.empty() ? "" : ", ", way, timetable.length().count());
    if (best && timetable.length() >= best->length()) return;
    best = std::move(timetable);
    best_steps = std::move(steps);
    if (!best_steps.empty()) best_steps.front().reason.insert(0, fmt::format("merged by {}: ", way));
  };
  if (options.merging != ClusterMerging::load)
    for (const auto& [way, new_home] : {std::pair{"start and work", NewHome::first_start_and_least_work},
                                        std::pair{"start", NewHome::first_start}})
      try_placing(way, Homes(clustering.count), new_home);
  if (options.merging != ClusterMerging::communication) {
    const std::vector<ProcessorId> merged = merge_by_load(model, clustering);
    try_placing("load", Homes(merged.begin(), merged.end()), NewHome::first_start);
  }
  if (options.trace != nullptr && !best_steps.empty()) {
    best_steps.front().reason += fmt::format("; lengths by {}", lengths);
    std::ranges::move(best_steps, std::back_inserter(*options.trace));
  }
  return *std::move(best);
}

std::vector<ProcessorId> merge_by_load(const DelayModel& model, const Clustering& clustering) {
  const ClusterWork work(model, clustering);
  std::vector<ProcessorId> merged(clustering.count);
  std::vector<Time> load(model.processor_count(), Time{0});
  for (std::size_t cluster : work.heaviest_first()) {
    ProcessorId best;
    Time least = Time::max();
    for (ProcessorId p : model.processors()) {
      const Time after = load[p.index()] + work.on(cluster, p);
      if (after < least) {
        least = after;
        best = p;
      }
    }
    merged[cluster] = best;
    load[best.index()] += work.on(cluster, best);
  }
  return merged;
}

}  // namespace takt::schedulers
