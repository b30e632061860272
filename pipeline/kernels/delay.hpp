#pragma once
/// `delay`: delays a stream by a time that need not be a whole number of samples, to align antennas.
///
/// float32 or complex_float32 [beamlet][time][polarisation] -> the same type.
///
///   y(t) = x(t - delay) exp(-2 pi i f delay),   f the beamlet's frequency on the sky
///
/// The phase rotation (`rotate`) is the effect of a delay before down-conversion; it needs beamlets with
/// frequencies, and does not apply to real samples. A sinc under a Hamming window of `taps` samples
/// interpolates fractions of a sample; with 32 taps it is flat to 1 % up to 0.4 of the sample rate. UTC moves
/// back by half of the window, equally for all delays. A result that depends on a missing sample is missing.
///
/// State: the last samples. Values keep their unit. O(taps) per value.
/// Source: Laakso et al., "Splitting the unit delay" (1996).

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind delay_kernel();

}  // namespace takt::pipeline
