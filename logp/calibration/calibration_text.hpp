#pragma once
/// A calibration as a machine file, and as a table for users.

#include <string>

#include "logp/calibration/calibrate.hpp"

namespace takt::logp {

/// Returns a machine file (see logp/machine_yaml.hpp) with the profiles `predict` and `verify`. Its part
/// `calibration` has their origin: ranges of sizes with intervals of 95 %, residuals and numbers of samples,
/// the trials, the ranks' locations, and properties of MPI.
[[nodiscard]] std::string to_yaml(const Calibration& calibration);

/// Returns the results on one screen. Ends with a newline.
[[nodiscard]] std::string to_text(const Calibration& calibration);

}  // namespace takt::logp
