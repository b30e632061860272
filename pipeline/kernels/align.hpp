#pragma once
/// Lets a stream lag behind, so that its frames begin with those of another branch which a filter delays.
///
/// `float32` or `complex_float32` with an axis `time` -> the same
///
///   y[n] = x[n - samples]
///
/// UTC goes back by as many samples, so that times stay true: a frame holds the same moments as that of the
/// same number behind a filter of 2 samples + 1 taps. What was before the first frame, and in gaps, is
/// missing.
///
/// State: the last `samples` samples. Values keep their unit. O(1) a value.
/// Source: Oppenheim and Schafer, "Discrete-time signal processing" (2010), 2.2: the ideal delay.

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind align_kernel();

}  // namespace takt::pipeline
