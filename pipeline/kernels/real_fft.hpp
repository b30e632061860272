#pragma once
/// `real_fft`: splits real samples of each beamlet into N/2 frequency channels.
///
/// float32[beamlet=B][time=T][polarisation=P] -> complex_float32[time=T/N][channel=B N/2][polarisation=P]
///
///   X[k] = sqrt(2) sum over n of w[n] x[n] exp(-2 pi i k n / N),  k = 0 .. N/2 - 1
///
/// Channel k is centred at f + k r / N, with f the beamlet's frequency (where its samples have frequency 0)
/// and r its sample rate. The window's squares add up to 1: white noise of variance s^2 has the power 2 s^2
/// in each channel but 0, as the analytic signal of the samples has. The channel at r / 2 is left out. A
/// spectrum with a missing sample is missing.
///
/// `inverse_fft`: from channels back to samples; the inverse of `fft` with the rectangular window, bit by bit
/// but for rounding.
///
/// complex_float32[time=T][channel=B N][polarisation=P] -> complex_float32[beamlet=B][time=T
/// N][polarisation=P]
///
///   x[n] = 1 / sqrt(N) sum over k of X[k] exp(2 pi i (k - N/2) n / N)
///
/// Both keep the unit, and are O(log N) a value. Source: Oppenheim and Schafer, "Discrete-time signal
/// processing", 8.

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind real_fft_kernel();
[[nodiscard]] KernelKind inverse_fft_kernel();

}  // namespace takt::pipeline
