#pragma once
/// `integrate`: the mean or sum of `factor` successive spectra (rows of the first axis, `time`), channel by
/// channel.
///
/// float32[time=T]... -> float32[time=T/factor]... when `factor` divides T: one output frame for each input
/// frame, and the kernel is stateless. When `factor` is n T, n frames become one frame with one row;
/// FrameGroup defines the groups of frames.
///
/// Missing values (NaN in frames whose header marks missing parts) have no weight: a mean is over the present
/// values, channel by channel, and a sum is that mean times the spectra of the received frames, so that
/// losses bias neither. A result without any value is NaN, and remains missing downstream.
///
/// Sums of up to 1024 spectra of a frame are in single precision, longer ones and those over frames in double
/// precision. Values keep their unit. O(1) per value. Source: Little and Rubin, "Statistical analysis with
/// missing data" (2002), 3: means of available cases.

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind integrate_kernel();

}  // namespace takt::pipeline
