#pragma once
/// Predicts the times of a program with its communication.

#include <span>

#include "core/graphs/task_graph.hpp"
#include "core/schedule.hpp"
#include "core/units.hpp"
#include "logp/machine.hpp"
#include "pipeline/frontend/communication/insertion.hpp"
#include "pipeline/frontend/reading/program.hpp"

namespace takt::frontend {

/// Returns the graph as the ranks execute it: datum i is transfer i, and after the transfers each flow that
/// has readers on its own rank is a datum for these.
[[nodiscard]] TaskGraph rank_graph(const Program& program, std::span<const Time> work,
                                   const ParallelProgram& parallel);

/// Returns the timetable of the ranks on a machine with as many processors: each transfer is one message,
/// sent after its call and received before the first call there that reads it. Transfers that are joined or
/// left apart count as such, so the times are those of the program, not of its plan.
[[nodiscard]] Schedule predict_times(const Program& program, std::span<const Time> work,
                                     const ParallelProgram& parallel, const logp::Machine& machine);

}  // namespace takt::frontend
