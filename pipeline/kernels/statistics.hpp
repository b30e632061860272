#pragma once
/// `statistics`: moments over the first axis, `time`, of `frames` successive frames, channel by channel, in
/// double precision:
///
///   mean = E[x],  rms = sqrt(E[x^2]),  kurtosis = E[(x - mean)^4] / E[(x - mean)^2]^2
///
/// float32[time][...] -> float32[statistic=3][...]. The kurtosis of normal noise is 3, of the power of
/// complex normal noise 9; a channel without variance has none (NaN). FrameGroup says which frames belong
/// together.
///
/// What is missing (NaN in frames whose header tells of missing parts) does not count; a channel of which
/// nothing came has no moments (NaN).
///
/// Source: frames are merged by their central moments (Pebay, "Formulas for robust, one-pass parallel
/// computation of covariances and arbitrary-order statistical moments", 2008), which loses no digits to a
/// large mean. The output has no unit, since kurtosis has none; mean and rms are in the input's. O(1) a
/// value.

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind statistics_kernel();

}  // namespace takt::pipeline
