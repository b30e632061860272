#pragma once
/// `dedisperse`: means over the channels along the delays caused by free electrons, for many trial values of
/// the dispersion measure.
///
/// float32[time=T][channel=C] -> float32[time=T][dm=D]:
///
///   y[t][d] = mean over c of x[t + n(d, c)][c],  n = round(k DM_d (f_c^-2 - f_max^-2) r)
///
/// with k = 4.148808e3 s MHz^2 cm^3 / pc, f_c the channels' frequencies, f_max the highest of them, r the
/// rate of spectra, and DM_d = first + d step in pc / cm^3. Missing values have no weight.
///
/// Sums need later samples: results are delayed by the largest delay, and UTC moves back by it, so that a
/// result's time is that at the highest frequency. Before the beginning of a stream, and in gaps, sums are
/// over the present channels; at the end, additional frames output the rest. Lost frames are gaps; a new
/// epoch starts anew and discards the rest of the old one. Brute force takes O(D C T); `method: subband`
/// shares the sums of channels among several trials, each with an error of at most `tolerance` spectra, where
/// that is cheaper (subbands.hpp).
///
/// Values keep their unit.
/// Source: Lorimer and Kramer, "Handbook of pulsar astronomy" (2005), 4.1 and 5.2.

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind dedisperse_kernel();

}  // namespace takt::pipeline
