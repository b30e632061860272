#pragma once
/// `fold`: the mean profile of a periodic signal: samples sorted into bins of the phase.
///
/// float32[time=T]... -> float32[bin=N]..., of `frames` frames:
///
///   phase = frac((t - t0) / period - 1/2 derivative ((t - t0) / period)^2),  bin = floor(phase N)
///
/// with t a sample's UTC and t0 1970-01-01 or `epoch` seconds after it; `derivative` is the period's change
/// in s / s. Or the phase is that of a file of TEMPO's polynomials (polyco.hpp). What is missing has no
/// weight; a bin of which nothing came is missing. FrameGroup says which frames belong together. Sums are in
/// double precision. Values keep their unit. O(1) a value.
///
/// Source: Lorimer and Kramer, "Handbook of pulsar astronomy" (2005), 7.1.

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind fold_kernel();

}  // namespace takt::pipeline
