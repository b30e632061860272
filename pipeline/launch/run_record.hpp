#pragma once
/// What is known of a run, while it goes on and at its end.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/launch/rank_trace.hpp"
#include "pipeline/launch/status.hpp"
#include "pipeline/planning/run_plan.hpp"

namespace takt::pipeline {

/// A parameter that the user has changed while the run went on.
struct MadeChange {
  /// `clean.sigma`, its value as written, and the one before.
  std::string parameter, value, old_value;
  /// The first frame for which it holds: its number, epoch, and UTC in ns.
  std::uint64_t frame = 0;
  std::uint16_t epoch = 0;
  std::int64_t utc_ns = 0;
};

/// Everything that is known of a run: what was planned, and each rank's last status.
struct RunRecord {
  std::optional<RunPlan> plan;
  /// The schedule that the ranks obey, as a schedule file; empty before they have one.
  std::string schedule;
  /// By rank; nothing from a rank that never spoke.
  std::vector<std::optional<RankStatus>> ranks;
  /// What was recorded of it, where that was asked for; known at the end only.
  std::vector<RankTrace> traces;
  /// In the order in which they were made.
  std::vector<MadeChange> changes;
  /// What was noticed while it went on, a sentence each.
  std::vector<std::string> warnings;
  /// Why the run failed; empty when it went well. Names the rank, its tasks and the reason.
  std::string failure;
  /// The failure is the user's: exit code 2.
  bool is_config_error = false;
};

}  // namespace takt::pipeline
