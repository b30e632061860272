#pragma once
/// Searches for pipelined schedules: load balancing with message costs.
///
/// Every allocation of tasks to processors repeats with its largest load (modulo_timetable.hpp), so that only
/// loads are searched, no orders: stage_search.hpp moves and swaps tasks between any processors.

#include <cstdint>
#include <optional>
#include <span>

#include "core/graphs/task_graph.hpp"
#include "core/period.hpp"
#include "core/schedule.hpp"
#include "logp/machine.hpp"

namespace takt::schedulers {

/// Largest number of frames in an iteration that are tried where tasks are stateless.
inline constexpr std::uint32_t most_pipelined_frames = 8;

/// Returns the schedule with the shortest period below that of `start` that was found; nothing if there is
/// none. Stops at `bound`, and subtracts tried moves from `budget`. The same seed yields the same schedule.
///
/// Starts from the tasks in falling order of time, each on the processor with the least resulting load; from
/// the topological order, cut into parts of about equal time; and from the processors of `start`. In graphs
/// of few tasks it then examines all allocations (assignment_search.hpp), each with a load below the best
/// one. With stateless tasks also 2 to 8 frames in an iteration are tried: their tasks are distributed frame
/// by frame, stateful ones stay whole.
[[nodiscard]] std::optional<Schedule> search_pipelined(const TaskGraph& graph, const logp::Machine& machine,
                                                       const Schedule& start, const Period& bound,
                                                       std::uint64_t& budget, std::uint64_t seed);

/// Returns the schedule of one frame an iteration with the least latency that was found among those that
/// repeat within `repetition`. Takes the allocations of `starts` of one frame, balances those with a larger
/// load, and moves single tasks while the latency falls; `timetables` limits the number of tried ones.
[[nodiscard]] std::optional<Schedule> pipelined_within(const TaskGraph& graph, const logp::Machine& machine,
                                                       Time repetition, std::span<const Schedule> starts,
                                                       std::uint64_t timetables, std::uint64_t seed);

}  // namespace takt::schedulers
