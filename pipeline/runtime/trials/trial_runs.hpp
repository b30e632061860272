#pragma once
/// Executes trial runs of plans before a run, by the same ranks, on synthetic frames. They show the effects
/// of caches, memory and shared cores, which the costs of single tasks do not contain.

#include <optional>
#include <vector>

#include <mpi.h>

#include "pipeline/config/pipeline.hpp"
#include "pipeline/planning/run_plan.hpp"
#include "pipeline/runtime/executor.hpp"
#include "pipeline/runtime/trials/trial_results.hpp"

namespace takt::pipeline {

/// Returns the longest total time of all trial runs before a run of this plan: `longest`, but at most a tenth
/// of the run if its length is known.
[[nodiscard]] Time time_for_trials(Time longest, const Pipeline& pipeline, const RunPlan& plan,
                                   const StreamLimits& limits);

/// True if a trial run of the plan fits into this time, and this host has ample space for temporary files of
/// its sinks.
[[nodiscard]] bool fits_trial(const Pipeline& pipeline, const RunPlan& plan, Time longest);

/// Measures the throughput of each plan while its sources produce frames as fast as they are consumed. Noise
/// replaces sources that receive; sinks write to unnamed files. Repetitions alternate between plans until the
/// figures are settled or the time is over (repetitions.hpp). If the source has a rate, measures the latency
/// at that rate next: of all plans that sustain enough if the goal is the least latency or has a limit of it
/// (if none does, of all plans), otherwise of the chosen plan. Returns the same on all ranks. Collective;
/// throws what Executor throws.
[[nodiscard]] TrialResults try_plans(const Pipeline& pipeline, const std::vector<SharedPlan>& plans,
                                     const std::vector<int>& nodes, const RunOptions& options, Time longest,
                                     MPI_Comm communicator);

}  // namespace takt::pipeline
