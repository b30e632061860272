#pragma once
/// Replication: successive frames on different processors.
///
/// Fusing a graph on one processor needs no messages, but uses one processor. Splitting it uses all of them,
/// but moves data within each frame, and the period is never below its largest task. Replicating runs frame k
/// and frame k + 1 on different processors, so that a frame only moves between the stateful tasks and the
/// processor of its other tasks. The cost of moving a frame determines which is best.

#include <cstdint>
#include <vector>

#include "core/graphs/task_graph.hpp"
#include "core/period.hpp"
#include "core/schedule.hpp"
#include "logp/machine.hpp"

namespace takt::schedulers {

/// Returns a few replicated schedules, the most promising ones; at least one if can_replicate
/// (period_bounds.hpp). Stops when a load meets `bound`, and subtracts tried moves from `budget`. The
/// same seed yields the same schedules.
///
/// Without any state, whole frames on single processors (copies.hpp) are optimal. Otherwise each
/// stateful task stays on one processor of a chain: on the first one if no stateless task precedes it,
/// on the last one if none follows, otherwise by the work before it. Connected stateless tasks between
/// the same stateful ones form a segment, which as a whole goes, frame by frame, to the processor with
/// the least resulting largest load. Then single tasks are moved and swapped (stage_search.hpp). Data go
/// directly from producers to consumers, and a stateful task receives the frames in order, which
/// restores it. Numbers of replicas from 2 on are tried; the loads select the few that get a search and
/// a timetable.
[[nodiscard]] std::vector<Schedule> replicate(const TaskGraph& graph, const logp::Machine& machine,
                                              const Period& bound, std::uint64_t& budget, std::uint64_t seed);

/// For few tasks, returns the best schedule found of each number of replicas from 2 to
/// 8, also of those with bad loads: a timetable has gaps, and a better load often does
/// not improve it. Iterations double in length, with timetables at each end, so a larger
/// budget includes the results of a smaller one. Empty if two frames are too many. Stops
/// and lowers `budget` as replicate() does; the same seed yields the same schedules.
[[nodiscard]] std::vector<Schedule> replicate_each(const TaskGraph& graph, const logp::Machine& machine,
                                                   const Period& bound, std::uint64_t& budget,
                                                   std::uint64_t seed);

}  // namespace takt::schedulers
