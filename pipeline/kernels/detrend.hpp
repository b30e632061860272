#pragma once
/// `detrend`: subtracts the mean, or the best straight line, along the time of each frame.
///
/// float32 or complex_float32 with an axis `time`; each other index is treated separately (also real and
/// imaginary parts). The line is that of least squares. Missing values have no weight; if none, or only one
/// for a line, is present, all are missing.
///
/// Values keep their unit. O(T C). Source: Press et al., "Numerical recipes" (2007), 15.2.

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind detrend_kernel();

}  // namespace takt::pipeline
