#pragma once
/// `bandpass`: removes the receiver's own shape from spectra: divides by, or subtracts, a running mean of
/// each channel.
///
/// float32 with an axis `time` -> the same type. The mean m of a frame's spectra moves the running one:
///
///   W = min(W + w, frames);   b = b + (m - b) w / W;   y = x / b   or   y = x - b
///
/// with `frames` the time constant, w the present share of the frame's samples of that channel, and W their
/// sum so far, at most `frames`: at first the mean of all. It includes the present frame. Missing values
/// (NaN, or infinite) have no weight; a channel without any value so far is missing. A new epoch does not
/// reset the mean.
///
/// Values keep their unit for subtraction, and have none after division. O(T C).
/// Source: Finch, "Incremental calculation of weighted mean and variance" (2009), for running means.

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind bandpass_kernel();

}  // namespace takt::pipeline
