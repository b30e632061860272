#pragma once
/// `real_fft`: splits real samples of each beamlet into N/2 frequency channels.
///
/// float32[beamlet=B][time=T][polarisation=P] -> complex_float32[time=T/N][channel=B N/2][polarisation=P]
///
///   X[k] = sqrt(2) sum over n of w[n] x[n] exp(-2 pi i k n / N),  k = 0 .. N/2 - 1
///
/// Channel k has the centre frequency f + k r / N, with f the beamlet's frequency (that of frequency 0 of its
/// samples) and r its sample rate. The squares of the window sum to 1: white noise of variance s^2 has the
/// power 2 s^2 in each channel but 0, like the analytic signal of the samples. The channel at r / 2 is
/// omitted. A spectrum with a missing sample is missing.
///
/// `inverse_fft`: from channels back to samples; the inverse of `fft` with the rectangular window within
/// rounding.
///
/// complex_float32[time=T][channel=B N][polarisation=P] -> complex_float32[beamlet=B][time=T
/// N][polarisation=P]
///
///   x[n] = 1 / sqrt(N) sum over k of X[k] exp(2 pi i (k - N/2) n / N)
///
/// Both keep the unit and take O(log N) per value. Source: Oppenheim and Schafer, "Discrete-time signal
/// processing", 8.

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind real_fft_kernel();
[[nodiscard]] KernelKind inverse_fft_kernel();

}  // namespace takt::pipeline
