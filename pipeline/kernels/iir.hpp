#pragma once
/// `iir`: a Butterworth filter along the time, causal, as second-order sections in double precision.
///
/// float32 or complex_float32 with an axis `time` -> the same type. Low-pass where only `high` is given,
/// high-pass where only `low` is, band-pass where both are (twice `order` poles then, as usual).
///
/// While samples are missing the filter stands still, and goes on where it was: as if the stream were that of
/// the samples that came. A constant stays one then, and noise keeps its power; a tone jumps in phase. So
/// results are missing, too, until the filter has settled behind a gap: for the n samples after which its
/// slowest pole p has forgotten what came before, |p|^n = 1 - `least`. Lost frames are gaps. The stream and
/// each epoch begin from rest, with results from the first sample on. Infinities count as missing: they would
/// stay in the filter for ever.
///
/// Source: Oppenheim and Schafer, "Discrete-time signal processing", 7.1: bilinear transform of the analogue
/// prototype, with its edges prewarped.

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind iir_kernel();

}  // namespace takt::pipeline
