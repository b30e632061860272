#pragma once
/// What is known of a run, while it goes on and at its end.

#include <cstdint>
#include <deque>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/planning/run_plan.hpp"
#include "pipeline/protocol/rank_trace.hpp"
#include "pipeline/protocol/status.hpp"

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

/// A time in which nothing worked at the stream, since a rank had died.
struct Outage {
  /// When it was noticed, ns since 1970, and why.
  std::int64_t utc_ns = 0;
  std::string reason;
  /// Frames of the source behind which the run went on.
  std::uint64_t frame = 0;
  /// Lost frames of a stream that cannot be repeated; nothing before its next frame has come,
  /// and of other streams.
  std::optional<std::uint64_t> lost = {};
  /// That were left out from then on.
  std::vector<std::string> hosts = {};
};

/// Everything that is known of a run: what was planned, and each rank's last status.
struct RunRecord {
  std::optional<RunPlan> plan;
  /// The schedule that the ranks obey, as a schedule file; empty before they have one.
  std::string schedule;
  /// Where the run is asked for changes (parameter_updates.hpp); empty where it is over, or not one's own.
  std::filesystem::path folder;
  /// By rank; nothing from a rank that never spoke.
  std::vector<std::optional<RankStatus>> ranks;
  /// By rank: for how long nothing has been heard of it, where it should have been.
  std::vector<Time> silence;
  /// What was recorded of it, where that was asked for; known at the end only.
  std::vector<RankTrace> traces;
  /// How often it changed over to another plan.
  std::size_t plan_changes = 0;
  /// The ranks' status at the last of these changes; empty before it.
  std::vector<std::optional<RankStatus>> ranks_at_change = {};
  /// In the order in which they were made.
  std::vector<MadeChange> changes;
  /// What was noticed while it went on, a sentence each.
  std::vector<std::string> warnings;
  /// What happened, the last lines of it: what ranks print, warnings, commands of users.
  std::deque<std::string> log;
  /// After which it was started again.
  std::vector<Outage> outages = {};
  /// Its trial run failed before it, and would fail again.
  bool is_without_trial = false;
  /// Somebody had asked for its end.
  bool was_to_end = false;
  /// Whether sinks write nothing for now, since the user wants it so.
  bool are_outputs_held = false;
  /// The stage whose frames a viewer observes.
  std::optional<std::size_t> probed = {};
  /// Last output of the observed stage (runtime/probe.hpp).
  std::string probe;
  /// Why the run failed; empty when it went well. Names the rank, its tasks and the reason.
  std::string failure;
  /// The failure is the user's: exit code 2.
  bool is_config_error = false;
};

}  // namespace takt::pipeline
