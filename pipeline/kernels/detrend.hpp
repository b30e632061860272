#pragma once
/// `detrend`: takes the mean, or the straight line that fits best, away along the time of each frame.
///
/// float32 or complex_float32 with an axis `time`, each of the other indices on its own (real and imaginary
/// parts, too). The line is that of least squares. What is missing has no weight; where everything is, or all
/// but one sample for a line, the rest is missing.
///
/// Values keep their unit. O(T C). Source: Press et al., "Numerical recipes" (2007), 15.2.

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind detrend_kernel();

}  // namespace takt::pipeline
