#pragma once
/// State of a run, during it and at its end.

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

/// A parameter that the user changed during the run.
struct MadeChange {
  /// `clean.sigma`, its new value as written, and the previous one.
  std::string parameter, value, old_value;
  /// The first frame with the new value: its number, epoch, and UTC in ns.
  std::uint64_t frame = 0;
  std::uint16_t epoch = 0;
  std::int64_t utc_ns = 0;
};

/// A time without processing, between the death of a rank and the restart.
struct Outage {
  /// Time of its detection in ns since 1970, and its cause.
  std::int64_t utc_ns = 0;
  std::string reason;
  /// Number of source frames before the restart.
  std::uint64_t frame = 0;
  /// Lost frames of a live stream; nothing before its next frame arrives, and for other streams.
  std::optional<std::uint64_t> lost = {};
  /// Hosts that the restart leaves out.
  std::vector<std::string> hosts = {};
};

/// State of a run: its plan, and the last status of each rank.
struct RunRecord {
  std::optional<RunPlan> plan;
  /// The schedule of the ranks, as a schedule file; empty before there is one.
  std::string schedule;
  /// Directory for parameter updates (parameter_updates.hpp); empty after the run, and for runs of other
  /// users.
  std::filesystem::path folder;
  /// By rank; nothing before its first report.
  std::vector<std::optional<RankStatus>> ranks;
  /// By rank: time since the last expected heartbeat.
  std::vector<Time> silence;
  /// Traces, if requested; available at the end.
  std::vector<RankTrace> traces;
  /// Number of changes of plan.
  std::size_t plan_changes = 0;
  /// Status of the ranks at the last change; empty before it.
  std::vector<std::optional<RankStatus>> ranks_at_change = {};
  /// In order of time.
  std::vector<MadeChange> changes;
  /// Warnings of the run, a sentence each.
  std::vector<std::string> warnings;
  /// The last lines of the log: output of ranks, warnings, commands of users.
  std::deque<std::string> log;
  /// Each led to a restart.
  std::vector<Outage> outages = {};
  /// Whether an earlier attempt failed in its trial run: no further trial run.
  bool is_without_trial = false;
  /// Whether a user requested its end.
  bool was_to_end = false;
  /// Whether the user has stopped the output of the sinks.
  bool are_outputs_held = false;
  /// The stage whose frames a viewer observes.
  std::optional<std::size_t> probed = {};
  /// Last output of the observed stage (runtime/probe.hpp).
  std::string probe;
  /// Rank, tasks and cause of the failure; empty on success.
  std::string failure;
  /// Whether the failure is a mistake of the user: exit code 2.
  bool is_config_error = false;
};

}  // namespace takt::pipeline
