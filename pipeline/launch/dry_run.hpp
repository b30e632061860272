#pragma once
/// Plans a run without starting its stream.

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/launch/launcher.hpp"
#include "pipeline/planning/pipeline_plan.hpp"

namespace takt::pipeline {

struct DryRunOptions {
  /// As in RankOptions.
  std::optional<std::filesystem::path> profile;
  std::optional<std::filesystem::path> schedule;
  /// Arguments with which this program becomes a rank that plans and exits; for pipelines without a machine,
  /// whose links are measured between the ranks.
  std::vector<std::string> arguments;
  /// True if ranks run trial runs of plans, whatever machine the pipeline names.
  bool has_trial = false;
  std::function<void(const RunRecord&)> on_progress;
};

/// Returns the plan of a run with these options: the given schedule, a plan from measured costs for the
/// pipeline's machine, or the plan of ranks that also measure the links between them. Throws ConfigError, and
/// WorkError when the ranks fail.
[[nodiscard]] PipelinePlan dry_run(const Pipeline& pipeline, const DryRunOptions& options);

/// Returns the plan of ranks that planned and exited, for any number of ranks in the file. Throws the failure
/// in the record.
[[nodiscard]] PipelinePlan plan_of(Pipeline pipeline, const RunRecord& record);

}  // namespace takt::pipeline
