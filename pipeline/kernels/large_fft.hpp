#pragma once
/// `large_fft`: one transform of a whole frame, as long as it is, on one rank or several.
///
/// complex_float32 [t=N], N even -> [channel=N]: sum over n of x_n exp(-2 pi i n (k - N/2) / N), divided by
/// the square root of N, like `fft` of one rectangular window; coordinates are frequencies where the input's
/// are times.
///
/// Data-parallel by blocks of samples and of channels, by the transpose method: with N = N1 N2 as near the
/// square root as its divisors allow, the samples as a matrix of N1 rows are exchanged by columns, those
/// transformed and turned, exchanged by rows, those transformed, and exchanged into order; each exchange
/// moves N (1 - 1/p) / p elements from each member. At most N1 members. Results agree with one rank's within
/// rounding. Values keep their unit. Source: Bailey, "FFTs in external or hierarchical memory" (1990).

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind large_fft_kernel();

}  // namespace takt::pipeline
