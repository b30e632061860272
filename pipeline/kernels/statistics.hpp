#pragma once
/// `statistics`: moments over the first axis, `time`, of `frames` successive frames, channel by channel, in
/// double precision:
///
///   mean = E[x],  rms = sqrt(E[x^2]),  kurtosis = E[(x - mean)^4] / E[(x - mean)^2]^2
///
/// float32[time][...] -> float32[statistic=3][...]. The kurtosis of normal noise is 3, that of the power of
/// complex normal noise 9; for a channel without variance it is NaN. FrameGroup defines the groups of
/// frames.
///
/// Missing values (NaN in frames whose header marks missing parts) do not count; a channel without values has
/// no moments (NaN).
///
/// Source: frames are merged by their central moments (Pebay, "Formulas for robust, one-pass parallel
/// computation of covariances and arbitrary-order statistical moments", 2008), without loss of precision for
/// a large mean. The output has no unit, because kurtosis has none; mean and rms are in the input's unit.
/// O(1) per value.

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind statistics_kernel();

}  // namespace takt::pipeline
