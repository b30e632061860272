#pragma once
/// What the ranks of a run are asked for.

#include <filesystem>
#include <optional>

#include "core/units.hpp"
#include "pipeline/constants.hpp"
#include "pipeline/runtime/executor.hpp"
#include "pipeline/runtime/rank/kept_values.hpp"

namespace takt::pipeline {

struct RankOptions {
  RunOptions run;
  /// Costs of the stages from an earlier `takt profile`; without it rank 0 measures them.
  std::optional<std::filesystem::path> profile;
  /// The schedule file to obey (`takt plan PIPELINE --output`), in place of measuring and planning.
  std::optional<std::filesystem::path> schedule;
  /// How long all trial runs before the run last at most (trial_runs.hpp); 0: none.
  Time trial = usual_trial;
  /// Nothing: costs, links and plans are neither looked up nor kept.
  std::optional<CacheSettings> cache_settings = {};
  /// Whether to measure and plan anew although all is kept.
  bool is_fresh = false;
  /// Whether the launcher may change the plan while the run goes on (change_over.hpp).
  bool adapts = false;
  /// Whether to end when the plan is made.
  bool is_dry_run = false;
};

}  // namespace takt::pipeline
