#pragma once
/// `correlate`: visibilities of all pairs of inputs, the X of an FX correlator.
///
/// complex_float32[time=T][channel=C][polarisation=P] from each of A >= 2 inputs (from `fft` or `pfb`) of the
/// same frequencies -> complex_float32[baseline=A (A + 1) / 2][channel=C][product=P P]
///
///   V_ij[c][p P + q] = mean over the spectra of `frames` frames of x_i[t][c][p] conj(x_j[t][c][q])
///
/// Baselines i <= j in the order (0,0), (0,1) .. (0,A-1), (1,1) .., including autocorrelations. A signal that
/// arrives at input j later by d has the phase +2 pi f d in V_ij. Missing values have no weight: each mean is
/// over the spectra that both inputs have; values without any spectrum are missing. FrameGroup defines the
/// groups of frames. Sums are in double precision; the unit is the square of the inputs'. O(A^2 T C P^2).
///
/// Source: Thompson, Moran and Swenson, "Interferometry and synthesis in radio astronomy" (2017), 8.

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind correlate_kernel();

}  // namespace takt::pipeline
