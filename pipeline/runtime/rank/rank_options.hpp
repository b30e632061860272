#pragma once
/// Options of the ranks of a run.

#include <filesystem>
#include <optional>

#include "core/units.hpp"
#include "pipeline/constants.hpp"
#include "pipeline/runtime/executor.hpp"
#include "pipeline/runtime/rank/kept_values.hpp"

namespace takt::pipeline {

struct RankOptions {
  RunOptions run;
  /// Costs of the stages from an earlier `takt profile`; without it the ranks measure them.
  std::optional<std::filesystem::path> profile;
  /// Schedule file to run (`takt plan PIPELINE --output`), instead of measurements and planning.
  std::optional<std::filesystem::path> schedule;
  /// Longest total time of all trial runs before the run (trial_runs.hpp); 0: none.
  Time trial = usual_trial;
  /// Nothing: the run neither reads nor keeps costs, links and plans.
  std::optional<CacheSettings> cache_settings = {};
  /// Whether to measure and plan anew in spite of kept values.
  bool is_fresh = false;
  /// Whether the launcher may change the plan during the run (change_over.hpp).
  bool adapts = false;
  /// Whether to end after planning.
  bool is_dry_run = false;
};

}  // namespace takt::pipeline
