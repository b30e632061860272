#pragma once
/// `rfi_mask`: marks values with interference as missing.
///
/// float32[time=T]... of power -> the same type, with NaN for marked values. For each frame and channel:
///
/// * `spectral_kurtosis`: SK = (M d + 1) / (M - 1) (M S2 / S1^2 - 1) over the channel's M present values,
///   with S1 and S2 the sums of them and of their squares, and d their shape (`shape`: the number of squares
///   of normal numbers, in pairs, that each value sums: 1 for the power of one complex sample, 2 for Stokes
///   I, more after an integration). For noise it is 1. A channel is missing as a whole if |SK - 1| exceeds
///   `sigma` standard deviations, each sqrt(2 M^2 d (1 + d) / ((M - 1) (6 + 5 M d + M^2 d^2))). A bright
///   pulse, dispersed or not, has a large SK, too. `blocks: B` > 1 divides the frame's time into B parts and
///   tests their median SK, with sqrt(pi / (2 B)) times the deviation of M / B values. A signal shorter than
///   half of the frame, such as a pulse, then removes nothing, and a longer one counts as interference.
/// * `median_deviation`: a channel is missing as a whole if its mean differs from the median of all channels'
///   means by more than `sigma` times 1.4826 times the median of the absolute differences; `of: values` tests
///   each value among those of its channel.
///
/// Values keep their unit. Stateless.
/// Source: Nita and Gary, "The generalized spectral kurtosis estimator" (MNRAS 406, 2010); Hampel, "The
/// influence curve and its role in robust estimation" (1974). O(T C), by sorting in part.

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind rfi_mask_kernel();

}  // namespace takt::pipeline
