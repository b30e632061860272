#pragma once
/// What a run would do, without starting the stream.

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
  /// Arguments with which this program becomes a rank that plans and ends; for pipelines that name no
  /// machine, whose links are measured between the ranks.
  std::vector<std::string> arguments;
  /// Whether ranks are to try plans, whatever machine the pipeline names.
  bool has_trial = false;
  std::function<void(const RunRecord&)> on_progress;
};

/// The plan of a run with these options: that of the given schedule; or made here from measured costs for the
/// machine that the pipeline names; or by ranks, which measure the links between them as well. Throws
/// ConfigError, and WorkError when the ranks fail.
[[nodiscard]] PipelinePlan dry_run(const Pipeline& pipeline, const DryRunOptions& options);

/// The plan that ranks made which then ended, however many ranks the file asks for. Throws the record's
/// failure.
[[nodiscard]] PipelinePlan plan_of(Pipeline pipeline, const RunRecord& record);

}  // namespace takt::pipeline
