#pragma once
/// Runs a calibration over ranks, launched on a site by takt or by a user's own mpirun.

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "logp/calibration/calibrate.hpp"
#include "pipeline/config/site.hpp"

namespace takt::pipeline {

/// Result of rank 0.
struct CalibrationOutcome {
  /// The machine file; empty if nothing could be measured.
  std::string machine;
  /// Summary for users.
  std::string summary;
  /// Reasons to distrust the result; empty if it is accepted.
  std::vector<std::string> objections;
};

struct CalibrationJob {
  std::size_t ranks = 2;
  /// Hosts of the ranks.
  Site site = {};
  /// Arguments with which this program becomes a rank, which then calls calibrate_as_rank.
  std::vector<std::string> arguments;
  /// Called at each change with text such as `42 %  node (L3): measuring`.
  std::function<void(const std::string&)> on_progress;
};

/// Starts the ranks and waits for their end. Throws WorkError if they fail, take far longer than the options
/// allow, or if the user requests a stop.
[[nodiscard]] CalibrationOutcome launch_calibration(const CalibrationJob& job,
                                                    const logp::CalibrationOptions& options);

/// Runs the calibration in a rank. Rank 0 sends its result to the launcher, or returns it if there is none;
/// the other ranks return nothing. A failure ends all ranks with a message.
[[nodiscard]] std::optional<CalibrationOutcome> calibrate_as_rank(
    logp::CalibrationOptions options, const std::function<void(const std::string&)>& on_progress);

}  // namespace takt::pipeline
