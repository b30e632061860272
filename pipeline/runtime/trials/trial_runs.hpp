#pragma once
/// Trial runs of plans before a run, by the ranks that will run them, on made-up frames: what caches, memory
/// and shared cores do to a pipeline, no costs of single tasks tell.

#include <optional>
#include <vector>

#include <mpi.h>

#include "pipeline/config/pipeline.hpp"
#include "pipeline/planning/run_plan.hpp"
#include "pipeline/runtime/executor.hpp"
#include "pipeline/runtime/trials/trial_results.hpp"

namespace takt::pipeline {

/// How long all trial runs before a run of this plan may last: `longest`, but no more than a tenth of the run
/// where its length is known.
[[nodiscard]] Time time_for_trials(Time longest, const Pipeline& pipeline, const RunPlan& plan,
                                   const StreamLimits& limits);

/// Whether a trial run of the plan fits into this time, with room for what its sinks write among the
/// temporary files of this host.
[[nodiscard]] bool fits_trial(const Pipeline& pipeline, const RunPlan& plan, Time longest);

/// What each plan sustains when its sources give frames as fast as they are taken (those that receive are
/// replaced by noise; sinks write to nameless files), in alternation until the figures are settled or the
/// time is over (repetitions.hpp). Where the source has a rate, the latency of frames at that rate follows:
/// of all plans that sustain enough where the least latency is wanted, otherwise of the chosen one. The same
/// on all ranks. Collective; throws what Executor throws.
[[nodiscard]] TrialResults try_plans(const Pipeline& pipeline, const std::vector<SharedPlan>& plans,
                                     const std::vector<int>& nodes, const RunOptions& options, Time longest,
                                     MPI_Comm communicator);

}  // namespace takt::pipeline
