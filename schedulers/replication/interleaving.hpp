#pragma once
/// Interleaving: the frames of an iteration return to earlier processors.

#include <cstdint>
#include <optional>

#include "core/graphs/task_graph.hpp"
#include "core/period.hpp"
#include "core/schedule.hpp"
#include "logp/machine.hpp"

namespace takt::schedulers {

/// Returns whether graph and machine are supported: some tasks are stateful and others are not, none is
/// moldable, there is no network, and few enough tasks and processors for at least two frames.
[[nodiscard]] bool can_interleave(const TaskGraph& graph, const logp::Machine& machine);

/// Returns the shortest schedule found of several frames with a period below `least`; nothing if none was
/// found. Each additional frame must gain a share of the period (Options::cost_noise). Stops when a period
/// meets `bound`, and subtracts tried moves from `budget` (sequence_search.hpp). The same seed yields the
/// same schedule.
///
/// In a chain (replication.hpp) data move in one direction, so the processor of a stateful task executes all
/// its predecessors or all its successors, of every frame. Here it may delegate both: another processor
/// executes the tasks before it of some frames in a row, and in the meantime the results of the first of
/// these come back. Numbers of frames from 2 on are tried. Initially the tasks, largest first and stateful
/// ones before the others, go to the processor with the least resulting load, and run task by task, each for
/// all frames in a row; then tasks move between processors and positions.
[[nodiscard]] std::optional<Schedule> interleave(const TaskGraph& graph, const logp::Machine& machine,
                                                 const Period& least, const Period& bound,
                                                 std::uint64_t& budget, std::uint64_t seed,
                                                 double least_gain = 0);

}  // namespace takt::schedulers
