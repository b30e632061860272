#pragma once
/// What is known of a run, while it goes on and at its end.

#include <cstdint>
#include <deque>
#include <filesystem>
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
  /// Where the run is asked for changes (change_desk.hpp); empty where it is over, or not one's own.
  std::filesystem::path folder;
  /// By rank; nothing from a rank that never spoke.
  std::vector<std::optional<RankStatus>> ranks;
  /// What was recorded of it, where that was asked for; known at the end only.
  std::vector<RankTrace> traces;
  /// In the order in which they were made.
  std::vector<MadeChange> changes;
  /// What was noticed while it went on, a sentence each.
  std::vector<std::string> warnings;
  /// What happened, the last lines of it: what ranks print, warnings, wishes of users.
  std::deque<std::string> log;
  /// Whether sinks write nothing for now, since the user wants it so.
  bool are_outputs_held = false;
  /// What a stage gave last, where somebody looks at one (engine/probe.hpp).
  std::string probe;
  /// Why the run failed; empty when it went well. Names the rank, its tasks and the reason.
  std::string failure;
  /// The failure is the user's: exit code 2.
  bool is_config_error = false;
};

}  // namespace takt::pipeline
