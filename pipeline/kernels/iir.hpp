#pragma once
/// `iir`: a Butterworth filter along the time, causal, as second-order sections in double precision.
///
/// float32 or complex_float32 with an axis `time` -> the same type. Low-pass where only `high` is given,
/// high-pass where only `low` is, band-pass where both are (twice `order` poles then, as usual).
///
/// While samples are missing the filter stands still, and goes on where it was: as if the stream were that of
/// the samples that came. A constant stays one then, and noise keeps its power; a tone jumps in phase. So
/// results are missing, too, of which gaps put more than 1 - `least` of the power in doubt
/// (filter_memory.hpp). Gaps of `bridge` at most are crossed along a line instead, and put nothing in doubt:
/// for signals that are slow beside the sample rate. Lost frames are gaps. The stream and each epoch begin
/// from rest, with results from the first sample on. Infinities count as missing: they would stay in the
/// filter for ever.
///
/// State: the sections' last sums. Values keep their unit. O(sections) a sample, O(sections log n) a gap of
/// which n results are missing. Source: Oppenheim and Schafer, "Discrete-time signal processing" (2010), 7.1
/// (butterworth.hpp).

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind iir_kernel();

}  // namespace takt::pipeline
