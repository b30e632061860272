#pragma once
/// What every rank of a run does, from MPI_Init to MPI_Finalize.

#include <filesystem>
#include <optional>

#include "pipeline/config/pipeline.hpp"
#include "pipeline/engine/executor.hpp"
#include "pipeline/launch/launcher.hpp"

namespace takt::pipeline {

struct RankOptions {
  RunLimits limits;
  /// Costs of the stages from an earlier `takt profile`; without it rank 0 measures them.
  std::optional<std::filesystem::path> profile;
};

/// Rank 0 measures kernels and links (where no profile and no machine is given), all ranks compute the same
/// plan from that, then run it. Returns the exit code; `on_end` is called on rank 0 with the record of the
/// run when there is no launcher to make the report. A rank that fails tells its launcher (or stderr) why and
/// ends the whole job.
int run_rank(const Pipeline& pipeline, const RankOptions& options,
             const std::function<void(const RunRecord&)>& on_end);

}  // namespace takt::pipeline
