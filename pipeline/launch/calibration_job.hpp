#pragma once
/// A calibration over ranks: started here on a site, or by a user's own mpirun over any hosts.

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "logp/calibration/calibrate.hpp"
#include "pipeline/config/site.hpp"

namespace takt::pipeline {

/// What rank 0 has found.
struct CalibrationOutcome {
  /// The machine file; empty when there is none, for nothing could be measured.
  std::string machine;
  /// For people.
  std::string summary;
  /// Why it should not be trusted; none when it is accepted.
  std::vector<std::string> objections;
};

struct CalibrationJob {
  std::size_t ranks = 2;
  /// Where they come up.
  Site site = {};
  /// Arguments with which this program becomes a rank, which then calls calibrate_as_rank.
  std::vector<std::string> arguments;
  /// Called with `42 %  node (L3): measuring` as often as that changes.
  std::function<void(const std::string&)> on_progress;
};

/// Starts the ranks and follows them to their end. Throws WorkError when they fail, when they take far longer
/// than the options say, or when the user asks to stop.
[[nodiscard]] CalibrationOutcome launch_calibration(const CalibrationJob& job,
                                                    const logp::CalibrationOptions& options);

/// What each rank does. Rank 0 tells the launcher what it has found, or gives it back when there is none; the
/// other ranks give nothing. A failure ends all ranks with a message.
[[nodiscard]] std::optional<CalibrationOutcome> calibrate_as_rank(
    logp::CalibrationOptions options, const std::function<void(const std::string&)>& on_progress);

}  // namespace takt::pipeline
