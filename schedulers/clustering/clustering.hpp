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

/// Second step: at most as many clusters as processors. If there are no more, cluster i runs on processor i;
/// otherwise clusters are merged as `options.merging` says, and the tasks of a processor run in the order of
/// their b-levels. O(n log n + (m + clusters) P).
[[nodiscard]] Timetable on_processors(const DelayModel& model, Clustering clustering, const Options& options);

/// The processor of each cluster by load balance: clusters in falling order of work, each to the processor
/// which is then done with its work first. Ties: the lower cluster, the lower processor. O(n + clusters * P).
[[nodiscard]] std::vector<ProcessorId> merge_by_load(const DelayModel& model, const Clustering& clustering);

/// The processor of each cluster, communication-aware: list scheduling by b-level in the clustered graph, in
/// which the first task of a cluster chooses the processor on which it starts first, and the others follow
/// it. After A. Radulescu, A. J. C. van Gemund, H.-X. Lin, "LLB: a fast and effective scheduling algorithm
/// for distributed-memory systems", 1999. Ties: the lower task, the lower processor. O(n log n + m P).
[[nodiscard]] std::vector<ProcessorId> merge_by_communication(const DelayModel& model,
                                                              const Clustering& clustering);

}  // namespace takt::schedulers
