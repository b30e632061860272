#pragma once
/// `fft`: splits each beamlet into `channels` frequency channels, in ascending order of frequency.
///
/// complex_float32[beamlet=B][time=T][polarisation=P] -> complex_float32[time=T/N][channel=B
/// N][polarisation=P]
///
/// Each run of N samples, weighted by the window w, is transformed on its own:
///
///   X[k] = sum over n of w[n] x[n] exp(-2 pi i (k - N/2) n / N),  k = 0 .. N - 1
///
/// so that channel k of a beamlet is centred at f + (k - N/2) r / N, with f the beamlet's frequency and r its
/// sample rate. The axis `channel` has these coordinates, in the order of the beamlets. The squares of the
/// window sum to 1: white noise of variance s^2 has variance s^2 in each channel.
///
/// Missing samples (NaN in frames whose header marks missing parts) make all channels of their spectrum NaN,
/// unless `least` is below 1: if at least that share of the window's power is present, the spectrum is
/// computed with zeros in their place and divided by the square root of the share, so that noise keeps its
/// variance; a tone leaks power to its neighbours.
///
/// O(B T P log N). Values keep their unit. FFTW plans by estimate, never by measurement, so that results are
/// bitwise reproducible. Source: Harris, "On the use of windows for harmonic analysis with the discrete
/// Fourier transform" (1978).

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind fft_kernel();

}  // namespace takt::pipeline
