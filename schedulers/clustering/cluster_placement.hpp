#pragma once
/// Schedules clusters on the machine's processors, and chooses processors for clusters without one.

#include <cstdint>
#include <optional>
#include <vector>

#include "schedulers/clustering/clustering.hpp"
#include "schedulers/delay/delay_model.hpp"
#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

/// Processor of a cluster without one, when its first task runs: the one with the earliest start, or with the
/// least sum of that start and the outstanding work of other clusters there.
enum class NewHome : std::uint8_t { first_start, first_start_and_least_work };

/// Indexed by cluster; empty where a cluster may go to any processor.
using Homes = std::vector<std::optional<ProcessorId>>;

/// At each step the ready task with the earliest start runs next, after all tasks on its processor. A task
/// whose cluster has a processor runs there. Of the other tasks only the one of the highest level is
/// considered, and its whole cluster follows it. So a processor receives a new cluster when it would be idle,
/// or when the cluster is more urgent.
///
/// After A. Radulescu, A. J. C. van Gemund, H.-X. Lin, "LLB: a fast and effective scheduling algorithm for
/// distributed-memory systems", 1999, which considers only the processor that becomes idle first. Ties: the
/// higher level, the lower task, the lower processor. O(n (P + log n) + m P). The trace, if not null, gets a
/// step for each task.
[[nodiscard]] Timetable place_clusters(const DelayModel& model, const Clustering& clustering,
                                       const std::vector<Time>& level, Homes homes, NewHome new_home,
                                       Trace* trace = nullptr);

}  // namespace takt::schedulers
