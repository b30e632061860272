#pragma once
/// A calibration as a machine file, and as a table for people.

#include <string>

#include "logp/calibration/calibrate.hpp"

namespace takt::logp {

/// A machine file (see logp/machine_yaml.hpp) with the profiles `predict` and `verify`, and under
/// `calibration` where they come from: ranges of sizes with intervals of 95 %, residuals and numbers of
/// samples, the trials, the ranks' locations, and facts about MPI.
[[nodiscard]] std::string to_yaml(const Calibration& calibration);

/// What was found, on a screen. Ends with a newline.
[[nodiscard]] std::string to_text(const Calibration& calibration);

}  // namespace takt::logp
