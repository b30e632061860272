#pragma once
/// `bandpass`: takes the receiver's own shape out of spectra: divides by, or subtracts, a running mean of
/// each channel.
///
/// float32 with an axis `time` -> the same type. The mean m of a frame's spectra moves the running one:
///
///   W = min(W + w, frames);   b = b + (m - b) w / W;   y = x / b   or   y = x - b
///
/// with `frames` the time constant, w the share of the frame's samples of that channel that are there, and W
/// their sum until now, `frames` at most: the mean of all at first. It includes the present frame. What is
/// missing (NaN, or infinite) has no weight; a channel of which nothing has come yet is missing. An epoch
/// that begins does not forget the receiver.
///
/// Values keep their unit where the mean is subtracted, and have none where it divides. O(T C).
/// Source: Finch, "Incremental calculation of weighted mean and variance" (2009), for running means.

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind bandpass_kernel();

}  // namespace takt::pipeline
