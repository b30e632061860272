#pragma once
/// What a host leaves of its processors: others may have them for a while, and so may the computer on which
/// this one is a guest.

#include <vector>

#include <mpi.h>

#include "core/units.hpp"
#include "pipeline/planning/run_plan.hpp"

namespace takt::pipeline {

/// Of the shares in several looks that of the calmer ones, as of the turns of a rehearsal
/// (rehearsal_turns.hpp): others who are at work for a moment are no property of the host.
[[nodiscard]] double calm_share(const std::vector<double>& looks);

/// Part of the time, at most 1, for which ranks that never wait have a processor, all at once and for so
/// long, in four looks; the mean of the ranks. Linux does not count the time for which a guest's processor
/// stands still as the thread's. Collective.
[[nodiscard]] double processor_share(Time duration, MPI_Comm communicator);

/// Costs are measured while other ranks are idle, and know little of that: the plan's prediction becomes what
/// the share leaves of it, and a note says so where that is less than 0.98.
void apply_processor_share(RunPlan& plan, double share);

}  // namespace takt::pipeline
