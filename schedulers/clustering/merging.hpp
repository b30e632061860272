#pragma once
/// From clusters to the processors that there are.

#include <vector>

#include "schedulers/clustering/clustering.hpp"
#include "schedulers/delay/delay_model.hpp"
#include "schedulers/delay/timetable.hpp"
#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

/// Second step: at most as many clusters as processors. If there are no more, and processors are alike,
/// cluster i runs on processor i; otherwise clusters are merged as `options.merging` says: `load` by
/// merge_by_load; `communication` as place_clusters finds, of its two ways of choosing the shorter; `best`
/// the shortest of all three. O(n (P + log n) + (m + clusters) P).
[[nodiscard]] Timetable on_processors(const DelayModel& model, Clustering clustering, const Options& options);

/// What a clustering algorithm finds, on the processors.
template <Clustering (*cluster)(const DelayModel&, const Options&)>
[[nodiscard]] Timetable on_processors(const DelayModel& model, const Options& options) {
  return on_processors(model, cluster(model, options), options);
}

/// The processor of each cluster by load balance: clusters in falling order of work, each to the processor
/// which is then done with its work first. Ties: the lower cluster, the lower processor. O(n + clusters * P).
[[nodiscard]] std::vector<ProcessorId> merge_by_load(const DelayModel& model, const Clustering& clustering);

}  // namespace takt::schedulers
