#pragma once
/// Stages of a chain that share stateless tasks by frames, on any classes of processors.

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/schedule.hpp"
#include "schedulers/search/workload.hpp"

namespace takt::schedulers {

/// Schedules of R frames for a graph in topological order (by layer, then id). Each processor does some
/// frames of a stateless task, then whole tasks, then some frames of another stateless task; the next
/// processor does the other frames. Successive schedules have more frames and shorter periods, each shorter
/// by `least_gain` of the one before (by any amount where it is 0). Data only move to later stages. Messages
/// cost nothing here: the timetable has what they cost.
///
/// With R frames the front of the chain is a number, task * R + frames of that task. For a given period the
/// front that b, l, ... processors of each class reach is the farthest that one more processor reaches from
/// any front of one processor less, since a processor that starts further ahead ends no further back: dynamic
/// programming over numbers of processors, and bisection over the period. Contiguous stages of one class with
/// c cores for a stateless run (otac, fertac, twocatac, herad) are a special case up to the rounding to R
/// frames; where rounding loses, herad's own stages are the last schedule. Of equal periods the fewest
/// processors, then the fewest of the faster classes. Stops at a period of `bound`.
///
/// O(R's tried * states * classes) looks at processors, states = product of (processors of a class + 1); none
/// where these are more than 200,000, for moldable tasks, and on networks. At least one schedule otherwise.
[[nodiscard]] std::vector<Schedule> frame_stages(const TaskGraph& graph, const logp::Machine& machine,
                                                 const Period& bound, double least_gain);

/// Such a schedule for which `time_of(frames)` is enough, with the fewest processors; of equal numbers with
/// the fewest of the fastest class, then of the next one, then with the fewest frames. Nothing where none is
/// found.
[[nodiscard]] std::optional<Schedule> fewest_frame_stages(
    const TaskGraph& graph, const logp::Machine& machine,
    const std::function<Time(std::uint32_t frames)>& time_of);

/// How many processors of each class a schedule uses, the fastest class first.
[[nodiscard]] std::vector<std::size_t> used_by_class(const Workload& workload, const Schedule& schedule);

/// Whether each task has one predecessor and one successor at most. In schedules of such a graph whose data
/// only go to later processors, what a processor does is connected, as in frame_stages.
[[nodiscard]] bool is_chain(const TaskGraph& graph);

}  // namespace takt::schedulers
