#pragma once
/// `integrate`: the mean or sum of `factor` successive spectra (rows of the first axis, `time`), channel by
/// channel.
///
/// float32[time=T]... -> float32[time=T/factor]... when `factor` divides T: each frame gives one frame, and
/// the kernel is stateless. When `factor` is n T, n frames give one frame with one row; FrameGroup says which
/// frames.
///
/// What is missing (NaN in frames whose header tells of missing parts) has no weight: a mean is over the
/// values that came, channel by channel, and a sum is that mean times the spectra of the frames that
/// came, so that losses bias neither. Where nothing came the result is NaN, which goes on as missing.
///
/// Sums of up to 1024 spectra of a frame are single precision, those of more and over frames double
/// precision. Values keep their unit. O(1) a value.
/// Source: Little and Rubin, "Statistical analysis with missing data" (2002), 3: means of available cases.

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind integrate_kernel();

}  // namespace takt::pipeline
