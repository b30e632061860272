#pragma once
/// `fir`: a linear-phase filter along the time: low-pass, high-pass or band-pass by a windowed sinc, or taps
/// of one's own.
///
/// float32 or complex_float32 with an axis `time` -> the same type.
///
///   y[n] = sum over k of h[k] x[n - k]
///
/// The frame's UTC goes back by the filter's delay, (taps - 1) / 2 samples, so that times stay true. Taps of
/// one's own are taken to be symmetric in this. A sum with a missing sample is missing: the first taps - 1
/// samples of a stream, and behind each gap.
///
/// State: the last taps - 1 samples. Values keep their unit. O(T taps).
/// Source: Oppenheim and Schafer, "Discrete-time signal processing" (2010), 7.2 (windows.hpp).

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind fir_kernel();

}  // namespace takt::pipeline
