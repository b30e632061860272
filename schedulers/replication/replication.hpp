#pragma once
/// Replication: successive frames on different processors.
///
/// Fusing a graph on one processor costs no messages, but uses one processor. Splitting it uses them all, but
/// moves data within each frame, and never goes below its largest task. Replicating runs frame k on another
/// processor than frame k + 1, so that a frame only moves between the stateful tasks and the processor that
/// does the rest of it. Which is best follows from what the machine asks for moving a frame.

#include <cstdint>
#include <vector>

#include "core/graphs/task_graph.hpp"
#include "core/period.hpp"
#include "core/schedule.hpp"
#include "logp/machine.hpp"

namespace takt::schedulers {

/// A few replicated schedules, the most promising ones; at least one if can_replicate
/// (period_bounds.hpp). Stops where a load is not above `bound`, and lowers `budget` by the moves tried.
/// The same seed gives the same schedules.
///
/// Without any state, whole frames on single processors (copies.hpp) are the best that can be. Otherwise each
/// stateful task stays on one processor of a chain: on the first one where no stateless task comes before, on
/// the last one where none comes after, in between by the work before it. The stateless tasks that hang
/// together between the same stateful ones make a segment, which goes as a whole, frame by frame, to the
/// processor where the largest load stays least. Then single tasks are moved and swapped (stage_search.hpp).
/// Data go straight from where they are made to where they are needed, and a stateful task takes the frames
/// in their order, which restores it. Numbers of replicas from 2 on are tried; the loads say which few of
/// them are worth a search and a timetable.
[[nodiscard]] std::vector<Schedule> replicate(const TaskGraph& graph, const logp::Machine& machine,
                                              const Period& bound, std::uint64_t& budget, std::uint64_t seed);

/// Of few tasks, the best schedule found of each number of replicas from 2 to 8, also of those whose loads
/// promise little: a timetable has gaps, and a better load often not a better one. In rounds, each twice as
/// long as the one before and with timetables at its end, so that a larger budget finds what a smaller one
/// does. None where two frames are too many. Stops and lowers `budget` as replicate does; the same seed gives
/// the same schedules.
[[nodiscard]] std::vector<Schedule> replicate_each(const TaskGraph& graph, const logp::Machine& machine,
                                                   const Period& bound, std::uint64_t& budget,
                                                   std::uint64_t seed);

}  // namespace takt::schedulers
