#pragma once
/// `resample`: changes the sample rate by up / down, with an anti-alias filter.
///
/// float32 or complex_float32 with an axis `time` of T rows -> time=T up / down, which must be whole.
///
/// The filter is a windowed sinc of 2 * `half_width` * max(up, down) + 1 taps at `up` times the input's rate,
/// with its edge at 0.5 / max(up, down) of that. Frames keep their number and UTC moves back by the filter's
/// delay. A sum with a missing sample is missing. Values keep their unit.
///
/// Source: Crochiere and Rabiner, "Multirate digital signal processing" (1983), chapter 3. O(T half_width).
///
/// `decimate`: every `factor`-th sample after the same filter; resample with up 1 and down `factor`.

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind resample_kernel();
[[nodiscard]] KernelKind decimate_kernel();

}  // namespace takt::pipeline
