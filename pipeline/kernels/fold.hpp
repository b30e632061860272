#pragma once
/// `fold`: the mean profile of a periodic signal, from samples sorted into phase bins.
///
/// float32[time=T]... -> float32[bin=N]..., of `frames` frames:
///
///   phase = frac((t - t0) / period - 1/2 derivative ((t - t0) / period)^2),  bin = floor(phase N)
///
/// with t a sample's UTC and t0 1970-01-01 or `epoch` seconds after it; `derivative` is the period's change
/// in s / s. Alternatively a file of TEMPO's polynomials defines the phase (polyco.hpp). Missing values have
/// no weight; a bin without values is missing. FrameGroup defines the groups of frames. Sums are in double
/// precision. Values keep their unit. O(1) per value.
///
/// Source: Lorimer and Kramer, "Handbook of pulsar astronomy" (2005), 7.1.

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind fold_kernel();

}  // namespace takt::pipeline
