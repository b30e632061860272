#pragma once
/// `fir`: a linear-phase filter in time: low-pass, high-pass or band-pass from a windowed sinc, or the user's
/// taps.
///
/// float32 or complex_float32 with an axis `time` -> the same type.
///
///   y[n] = sum over k of h[k] x[n - k]
///
/// The frame's UTC moves back by the filter's delay, (taps - 1) / 2 samples, so that times stay true. The
/// user's taps are assumed symmetric. A sum with a missing sample is missing: the first taps - 1 samples of a
/// stream, and those after each gap.
///
/// State: the last taps - 1 samples. Values keep their unit. O(T taps).
/// Source: Oppenheim and Schafer, "Discrete-time signal processing" (2010), 7.2 (windows.hpp).

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind fir_kernel();

}  // namespace takt::pipeline
