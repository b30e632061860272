#pragma once
/// What every rank of a run does, from MPI_Init to MPI_Finalize.

#include <filesystem>
#include <optional>

#include "pipeline/config/pipeline.hpp"
#include "pipeline/engine/executor.hpp"
#include "pipeline/launch/launcher.hpp"
#include "pipeline/planning/constants.hpp"

namespace takt::pipeline {

struct RankOptions {
  RunOptions run;
  /// Costs of the stages from an earlier `takt profile`; without it rank 0 measures them.
  std::optional<std::filesystem::path> profile;
  /// The schedule file to obey (`takt plan PIPELINE --output`), in place of measuring and planning.
  std::optional<std::filesystem::path> schedule;
  /// How long all trial runs before the run last at most (trial_runs.hpp); 0: none.
  Time trial = usual_trial;
  /// The words of the command line that a kept plan depends on (plan_cache.hpp); nothing: plans are neither
  /// looked up nor kept.
  std::optional<std::vector<std::string>> cache_settings = {};
  /// Whether to plan anew although a plan is kept.
  bool is_fresh = false;
  /// Whether the launcher may change the plan while the run goes on (change_over.hpp).
  bool adapts = false;
  /// Whether to end when the plan is made.
  bool is_dry_run = false;
};

/// Rank 0 measures kernels, all ranks the links between them (where no profile and no machine is given); rank
/// 0 plans and sends the others the schedule file that it could have written, or several, which all ranks
/// try; then all run it. Returns the exit code; `on_end` is called on rank 0 with the record of the run when
/// there is no launcher to make the report. A rank that fails tells its launcher (or stderr) why and ends the
/// whole job. `deployment.ranks` is what the ranks are.
int run_rank(Pipeline pipeline, const RankOptions& options,
             const std::function<void(const RunRecord&)>& on_end);

}  // namespace takt::pipeline
