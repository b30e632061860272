#pragma once
/// `large_fft`: one transform of a whole frame of any length, on one rank or several.
///
/// complex_float32 [t=N], N even -> [channel=N]: sum over n of x_n exp(-2 pi i n (k - N/2) / N), divided by
/// the square root of N, like `fft` with one rectangular window; coordinates are frequencies if the input's
/// are times.
///
/// Data-parallel over blocks of samples and of channels, by the transpose method: N = N1 N2 with divisors as
/// close to the square root as possible. The samples, a matrix of N1 rows, are exchanged by columns, which
/// are transformed and rotated, then exchanged by rows, which are transformed, and exchanged into order. Each
/// exchange moves N (1 - 1/p) / p elements from each member. At most N1 members. Results equal one rank's
/// within rounding. Values keep their unit. Source: Bailey, "FFTs in external or hierarchical memory" (1990).

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind large_fft_kernel();

}  // namespace takt::pipeline
