#pragma once
/// `pfb`: a polyphase filter bank: splits each beamlet into `channels` frequency channels with steep edges.
///
/// complex_float32[beamlet=B][time=T][polarisation=P] -> complex_float32[time=T/M][channel=B
/// N][polarisation=P]
///
///   X_m[k] = sum over n = 0 .. L N - 1 of h[n] x[m M + n - H] exp(-2 pi i (k - N/2) (m M + n - H) / N)
///
/// with N `channels`, L `taps` blocks of N samples, M = N / `oversampling` samples between spectra, H = L N -
/// M, and h a sinc of width N under a window (default: Hamming), symmetric over all L N taps, whose squares
/// sum to 1: white noise keeps its variance in each channel. Phases count from each frame's first sample,
/// which M and N divide, and so equal those of the stream. Channel k has the centre frequency f + (k - N/2) r
/// / N, as in `fft`.
///
/// State: the last H samples. A spectrum with a missing sample is missing: the first ones of a stream, and
/// those after each gap. UTC moves back so that a spectrum's time is that of the N samples in the middle of
/// its window. Values keep their unit.
///
/// Source: Vaidyanathan, "Multirate systems and filter banks" (1993), chapter 4; Price, "Spectrometers and
/// polyphase filterbanks in radio astronomy" (2016). O(B T P (taps + log N) oversampling).

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind pfb_kernel();

}  // namespace takt::pipeline
