#pragma once
/// `beamform`: adds antennas up in phase: beams towards directions, or with weights of one's own.
///
/// A inputs of complex_float32[beamlet=B][time=T][polarisation=P] of the same frequencies, or one of
/// [antenna=A][beamlet][time][polarisation] (as `stack` gives it) -> complex_float32[beamlet=K B][time]
/// [polarisation]: the beamlets of the first of K directions, then those of the next one:
///
///   y = 1 / A sum over antennas a of conj(w_a(f)) x_a,   w_a(f) = g_a exp(2 pi i f p_a . s / c)
///
/// with p_a the antenna's position in m (east, north, up), s the unit vector to the source (azimuth from
/// north to east and elevation, in degrees), f the beamlet's frequency, c = 299792458 m/s (`speed`, which may
/// be that of sound or of seismic waves) and g_a its gain. An antenna towards the source hears it earlier.
/// Beams stay (`directions`) or follow sources on the sky (`sky`, from `site`), pointed anew for the middle
/// of each frame. That is right as long as beamlets are narrow: their width times the array's delay is well
/// below 1.
///
/// What is missing of some antennas has no weight: the mean is over the others, and the size of what all have
/// in common stays. Their own noise is averaged over fewer: with n of them there the power of a beam of noise
/// is 1/n of theirs, so that it rises with losses. Fewer than the share `least` of antennas make no beam;
/// with `least` 1 such powers can be compared, too. Values keep their unit. Stateless.
///
/// Source: van Trees, "Optimum array processing" (2002), 2.

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind beamform_kernel();

}  // namespace takt::pipeline
