#pragma once
/// `iir`: a causal Butterworth filter in time, as second-order sections in double precision.
///
/// float32 or complex_float32 with an axis `time` -> the same type. Low-pass if only `high` is set, high-pass
/// if only `low` is, band-pass if both are (then with twice `order` poles, as usual).
///
/// While samples are missing the filter pauses and then continues, as if the stream consisted of the present
/// samples only. A constant stays constant, and noise keeps its power, but a tone jumps in phase. Results
/// are therefore also missing while gaps make more than 1 - `least` of the power uncertain
/// (filter_memory.hpp). Gaps of at most `bridge` are instead interpolated by a line and cause no uncertainty:
/// for signals that are slow compared with the sample rate. Lost frames are gaps. The stream and each epoch
/// start from rest, with results from the first sample on. Infinities count as missing: they would remain in
/// the filter forever.
///
/// State: the sections' last sums. Values keep their unit. O(sections) per sample, O(sections log n) per gap
/// with n missing results. Source: Oppenheim and Schafer, "Discrete-time signal processing" (2010), 7.1
/// (butterworth.hpp).

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind iir_kernel();

}  // namespace takt::pipeline
