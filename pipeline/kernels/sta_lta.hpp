#pragma once
/// `sta_lta`: the ratio of a short-term and a long-term average of the signal's power, which rises at the
/// onset of an earthquake.
///
/// float32 with an axis `time` -> the same type. Recursive averages of x^2:
///
///   s[n] = x[n]^2 / S + (1 - 1 / S) s[n-1],   l[n] = x[n]^2 / L + (1 - 1 / L) l[n-1],   y[n] = s[n] / l[n]
///
/// with S and L the samples in `short` and `long`. The first L samples of a stream and of an epoch are 0,
/// because the long average has not settled. Missing samples (and infinities) and lost frames change no
/// average; the former are missing in the result. The ratio has no unit. O(1) per value.
///
/// Source: Withers et al., "A comparison of select trigger algorithms for automated global seismic phase and
/// event detection" (1998); the form is that of ObsPy's recursive_sta_lta.

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind sta_lta_kernel();

}  // namespace takt::pipeline
