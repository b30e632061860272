#pragma once
/// Starts the ranks of a run under mpirun, follows them, and ends them when something goes wrong.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/launch/status.hpp"
#include "pipeline/planning/run_plan.hpp"

namespace takt::pipeline {

/// Everything that is known of a run: what was planned, and each rank's last status.
struct RunRecord {
  std::optional<RunPlan> plan;
  /// The schedule that the ranks obey, as a schedule file; empty before they have one.
  std::string schedule;
  /// By rank; nothing from a rank that never spoke.
  std::vector<std::optional<RankStatus>> ranks;
  /// Why the run failed; empty when it went well. Names the rank, its tasks and the reason.
  std::string failure;
  /// The failure is the user's: exit code 2.
  bool is_config_error = false;
};

struct LaunchOptions {
  std::size_t ranks = 1;
  /// Arguments of every rank; the program is this one.
  std::vector<std::string> arguments;
  /// A rank that says nothing for so long is taken for dead, and the run is ended.
  Time silence{std::chrono::seconds{10}};
  /// The same for a rank that has not said anything yet: it loads plug-ins and plans FFTs first.
  Time start_up{std::chrono::seconds{60}};
  /// Called several times a second while the ranks work.
  std::function<void(const RunRecord&)> on_progress;
};

/// Runs to the end. SIGINT or SIGTERM drains the run, a second one ends it at once. Throws WorkError when
/// mpirun cannot be started; every other failure is in the record.
[[nodiscard]] RunRecord launch(const LaunchOptions& options);

/// `rank 1 (host a, pid 7; fft stokes)`: for messages.
[[nodiscard]] std::string describe_rank(const RunRecord& record, std::size_t rank);

}  // namespace takt::pipeline
