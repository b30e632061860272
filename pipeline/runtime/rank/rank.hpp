#pragma once
/// What every rank of a run does, from MPI_Init to MPI_Finalize.

#include <functional>

#include "pipeline/config/pipeline.hpp"
#include "pipeline/protocol/run_record.hpp"
#include "pipeline/runtime/rank/rank_options.hpp"

namespace takt::pipeline {

/// Rank 0 measures kernels, all ranks the links between them (where no profile and no machine is given); rank
/// 0 plans and sends the others the schedule file that it could have written, or several, which all ranks
/// try; then all run it. Returns the exit code; `on_end` is called on rank 0 with the record of the run when
/// there is no launcher to make the report. A rank that fails tells its launcher (or stderr) why and ends the
/// whole job. `deployment.ranks` is what the ranks are.
int run_rank(Pipeline pipeline, const RankOptions& options,
             const std::function<void(const RunRecord&)>& on_end);

}  // namespace takt::pipeline
