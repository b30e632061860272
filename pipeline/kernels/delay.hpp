#pragma once
/// `delay`: delays a stream by a time that need not be a whole number of samples, as antennas are aligned.
///
/// float32 or complex_float32 [beamlet][time][polarisation] -> the same type.
///
///   y(t) = x(t - delay) exp(-2 pi i f delay),   f the beamlet's frequency on the sky
///
/// The turn of phase (`rotate`) is what a delay of the signal before it was mixed down does; it needs
/// beamlets with frequencies, and is left out for real samples. Fractions of a sample are interpolated by a
/// sinc under a Hamming window of `taps` samples, which is flat to 1 % up to 0.4 of the sample rate with 32;
/// UTC goes back by half of it, alike for all delays. What depends on a missing sample is missing.
///
/// State: the last samples. Values keep their unit. O(taps) a number.
/// Source: Laakso et al., "Splitting the unit delay" (1996).

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind delay_kernel();

}  // namespace takt::pipeline
