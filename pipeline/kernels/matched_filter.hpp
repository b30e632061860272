#pragma once
/// `matched_filter`: sums over sliding boxcars of several widths, which find pulses of those lengths.
///
/// float32[time=T]... -> float32[time=T][width=W]...:
///
///   y[t][w] = (x[t - w + 1] + ... + x[t]) / sqrt(w)
///
/// so that white noise of variance 1 and mean 0 has variance 1 for each width, and a boxcar pulse of width w
/// and height a the signal-to-noise ratio a sqrt(w). What is missing has no weight: the sum of the n samples
/// that are there is divided by sqrt(n). State: the last max(w) - 1 samples.

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind matched_filter_kernel();

}  // namespace takt::pipeline
