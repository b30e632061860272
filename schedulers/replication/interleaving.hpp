#pragma once
/// Interleaving: the frames of a repetition go back and forth between processors.

#include <cstdint>
#include <optional>

#include "core/graphs/task_graph.hpp"
#include "core/period.hpp"
#include "core/schedule.hpp"
#include "logp/machine.hpp"

namespace takt::schedulers {

/// Whether it is for such a graph and machine: some tasks have state and others have not, none is moldable,
/// there is no network, and there are few enough tasks and processors for two frames at least.
[[nodiscard]] bool can_interleave(const TaskGraph& graph, const logp::Machine& machine);

/// A schedule of several frames with a period below `least`, the shortest found; nothing when none was found.
/// Each number of frames must gain a share of what fewer have (Options::cost_noise).
/// Stops where a period is not above `bound`, and lowers `budget` by the moves tried (sequence_search.hpp).
/// The same seed gives the same schedule.
///
/// In a chain (replication.hpp) data go one way, so that the processor of a task with state does all that
/// comes before it or all that comes behind it, of every frame. Here it may give away both: another processor
/// does the tasks before it of some frames in a row, and while it does, the results of the first of these
/// come back. Numbers of frames from 2 on are tried. Each time the tasks go, largest first and those with
/// state before the others, to where the load stays least, and run task by task, of each all frames in a row;
/// then tasks move between processors and places.
[[nodiscard]] std::optional<Schedule> interleave(const TaskGraph& graph, const logp::Machine& machine,
                                                 const Period& least, const Period& bound,
                                                 std::uint64_t& budget, std::uint64_t seed,
                                                 double least_gain = 0);

}  // namespace takt::schedulers
