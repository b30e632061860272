#pragma once
/// Delays a stream, so that its frames begin together with those of another branch with a filter delay.
///
/// `float32` or `complex_float32` with an axis `time` -> the same
///
///   y[n] = x[n - samples]
///
/// UTC moves back by the same number of samples, so that times stay true: a frame covers the same times as
/// the frame with the same number after a filter of 2 samples + 1 taps. Samples before the first frame, and
/// in gaps, are missing.
///
/// State: the last `samples` samples. Values keep their unit. O(1) per value.
/// Source: Oppenheim and Schafer, "Discrete-time signal processing" (2010), 2.2: the ideal delay.

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind align_kernel();

}  // namespace takt::pipeline
