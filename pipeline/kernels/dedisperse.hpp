#pragma once
/// `dedisperse`: means over the channels along the delays that free electrons cause, for many trials of how
/// many there are.
///
/// float32[time=T][channel=C] -> float32[time=T][dm=D]:
///
///   y[t][d] = mean over c of x[t + n(d, c)][c],  n = round(k DM_d (f_c^-2 - f_max^-2) r)
///
/// with k = 4.148808e3 s MHz^2 cm^3 / pc, f_c the channels' frequencies, f_max the highest of them, r the
/// rate of spectra, and DM_d = first + d step in pc / cm^3. What is missing has no weight.
///
/// What a sum needs comes later: results lag behind by the largest delay, and UTC goes back by it, so that a
/// result's time is that at the highest frequency. Before a stream's beginning, and in gaps, sums are over
/// the channels that are there; at its end as many frames more are given as the largest delay fills. Lost
/// frames are gaps; a new epoch begins anew, without what is still to come of the old one. Brute force takes
/// O(D C T); `method: subband` sums channels for several trials together, each of them off by `tolerance`
/// spectra at most, where that is cheaper (subbands.hpp).
///
/// Values keep their unit.
/// Source: Lorimer and Kramer, "Handbook of pulsar astronomy" (2005), 4.1 and 5.2.

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind dedisperse_kernel();

}  // namespace takt::pipeline
