#pragma once
/// Clusters: tasks that will share a processor, for as many processors as one likes, and how they come to
/// real ones.

#include <cstddef>
#include <vector>

#include "schedulers/common/delay_model.hpp"
#include "schedulers/common/timetable.hpp"
#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

/// What a clustering algorithm finds: a timetable over clusters in place of processors, numbered from 0 in
/// the order of their first tasks, with mean durations and mean delays.
struct Clustering {
  Timetable timetable;
  std::size_t count = 0;
};

/// Numbers the clusters of a timetable, whatever their ids, from 0 in the order of their first tasks. O(n log
/// n).
[[nodiscard]] Clustering numbered(Timetable timetable);

/// Second step: at most as many clusters as processors. If there are no more, and processors are alike,
/// cluster i runs on processor i; otherwise clusters are merged as `options.merging` says: `load` by
/// merge_by_load; `communication` as place_clusters finds, of its two ways of choosing the shorter; `best`
/// the shortest of all three. O(n (P + log n) + (m + clusters) P).
[[nodiscard]] Timetable on_processors(const DelayModel& model, Clustering clustering, const Options& options);

/// The processor of each cluster by load balance: clusters in falling order of work, each to the processor
/// which is then done with its work first. Ties: the lower cluster, the lower processor. O(n + clusters * P).
[[nodiscard]] std::vector<ProcessorId> merge_by_load(const DelayModel& model, const Clustering& clustering);

}  // namespace takt::schedulers
