#pragma once
/// Clusters on few processors: when their tasks run, and where, for clusters that have no processor yet.

#include <cstdint>
#include <optional>
#include <vector>

#include "schedulers/clustering/clustering.hpp"
#include "schedulers/delay/delay_model.hpp"
#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

/// Where a cluster without a processor goes when one of its tasks is to run: where that starts first, or
/// where its start and the work that other clusters have yet to do there are least together.
enum class NewHome : std::uint8_t { first_start, first_start_and_least_work };

/// By cluster; nothing where a cluster may go anywhere.
using Homes = std::vector<std::optional<ProcessorId>>;

/// At each step the ready task that starts first runs next, after all tasks on its processor. A task whose
/// cluster has a processor runs there; of all others only the one of the highest level is looked at, and
/// takes its whole cluster along. So a processor takes a new cluster when it would be idle, or when the
/// cluster is the more urgent one.
///
/// After A. Radulescu, A. J. C. van Gemund, H.-X. Lin, "LLB: a fast and effective scheduling algorithm for
/// distributed-memory systems", 1999, which looks only at the processor that is idle first. Ties: the higher
/// level, the lower task, the lower processor. O(n (P + log n) + m P). The trace, if not null, gets a step
/// for each task.
[[nodiscard]] Timetable place_clusters(const DelayModel& model, const Clustering& clustering,
                                       const std::vector<Time>& level, Homes homes, NewHome new_home,
                                       Trace* trace = nullptr);

}  // namespace takt::schedulers
