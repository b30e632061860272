#pragma once
/// `iir`: a Butterworth filter along the time, causal, as second-order sections in double precision.
///
/// float32 or complex_float32 with an axis `time` -> the same type. Low-pass where only `high` is given,
/// high-pass where only `low` is, band-pass where both are (twice `order` poles then, as usual).
///
/// A missing sample counts as 0 for what comes after it, and is missing in the result; behind a lost frame or
/// in a new epoch the filter begins anew, from rest.
///
/// Source: Oppenheim and Schafer, "Discrete-time signal processing", 7.1: bilinear transform of the analogue
/// prototype, with its edges prewarped.

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind iir_kernel();

}  // namespace takt::pipeline
