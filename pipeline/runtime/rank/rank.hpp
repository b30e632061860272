#pragma once
/// Runs one rank, from MPI_Init to MPI_Finalize.

#include <functional>

#include "pipeline/config/pipeline.hpp"
#include "pipeline/protocol/run_record.hpp"
#include "pipeline/runtime/rank/rank_options.hpp"

namespace takt::pipeline {

/// The ranks measure the costs of kernels and of the links between them (unless a profile and a machine are
/// given). Rank 0 plans and sends one or more schedules to all ranks, which try several and run the best.
/// Returns the exit code. Without a launcher, calls `on_end` on rank 0 with the record of the run, for the
/// report. A rank that fails reports the reason to its launcher (or on stderr) and ends the whole job. The
/// number of ranks replaces `deployment.ranks`.
int run_rank(Pipeline pipeline, const RankOptions& options,
             const std::function<void(const RunRecord&)>& on_end);

}  // namespace takt::pipeline
