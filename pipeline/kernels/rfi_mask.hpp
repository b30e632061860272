#pragma once
/// `rfi_mask`: takes values that interference has spoilt for missing.
///
/// float32[time=T]... of power -> the same type, spoilt values NaN. Within each frame, channel by channel:
///
/// * `spectral_kurtosis`: SK = (M d + 1) / (M - 1) (M S2 / S1^2 - 1) over the channel's M values that are
/// there,
///   S1 and S2 the sums of them and of their squares, and d their shape (`shape`: how many squares of normal
///   numbers, in pairs, each is the sum of: 1 for the power of one complex sample, 2 for Stokes I, more after
///   an integration). Of noise it is 1; a channel with |SK - 1| above `sigma` standard deviations of that,
///   sqrt(2 M^2 d (1 + d) / ((M - 1) (6 + 5 M d + M^2 d^2))), is missing as a whole. A bright pulse,
///   dispersed or not, has a large SK, too: `blocks: B` > 1 divides the frame's time into B parts and judges
///   their median SK, by sqrt(pi / (2 B)) times the deviation of M / B values, so that what lasts less than
///   half of the frame, as a pulse, removes nothing, and what lasts longer is interference.
/// * `median_deviation`: a channel whose mean differs from the median of all channels' means by more than
/// `sigma`
///   times 1.4826 times the median of the absolute differences is missing as a whole; `of: values` judges
///   each value among those of its channel.
///
/// Values keep their unit. Stateless.
/// Source: Nita and Gary, "The generalized spectral kurtosis estimator" (MNRAS 406, 2010); Hampel, "The
/// influence curve and its role in robust estimation" (1974). O(T C), by sorting in part.

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind rfi_mask_kernel();

}  // namespace takt::pipeline
