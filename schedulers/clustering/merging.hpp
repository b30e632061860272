#pragma once
/// Mapping of clusters to the machine's processors.

#include <vector>

#include "schedulers/clustering/clustering.hpp"
#include "schedulers/delay/delay_model.hpp"
#include "schedulers/delay/timetable.hpp"
#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

/// Maps the clusters to processors. With at most P clusters and equal processors, cluster i runs on processor
/// i. Otherwise `options.merging` selects the method: `load` uses merge_by_load, `communication` the shorter
/// result of the two variants of place_clusters, `best` the shortest of all three. O(n (P + log n) + (m +
/// clusters) P).
[[nodiscard]] Timetable on_processors(const DelayModel& model, Clustering clustering, const Options& options);

/// Returns the result of a clustering algorithm, mapped to the processors.
template <Clustering (*cluster)(const DelayModel&, const Options&)>
[[nodiscard]] Timetable on_processors(const DelayModel& model, const Options& options) {
  return on_processors(model, cluster(model, options), options);
}

/// Returns the processor of each cluster by load balance: clusters in falling order of work, each to the
/// processor that then finishes its work first. Ties: lower cluster, lower processor. O(n + clusters * P).
[[nodiscard]] std::vector<ProcessorId> merge_by_load(const DelayModel& model, const Clustering& clustering);

}  // namespace takt::schedulers
