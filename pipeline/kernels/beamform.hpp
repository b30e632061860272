#pragma once
/// `beamform`: adds antennas in phase: beams towards directions, or with the user's weights.
///
/// A inputs of complex_float32[beamlet=B][time=T][polarisation=P] of the same frequencies, or one of
/// [antenna=A][beamlet][time][polarisation] (from `stack`) -> complex_float32[beamlet=K B][time]
/// [polarisation]: the beamlets of the first of K directions, then those of the next one:
///
///   y = 1 / A sum over antennas a of conj(w_a(f)) x_a,   w_a(f) = g_a exp(2 pi i f p_a . s / c)
///
/// with p_a the antenna's position in m (east, north, up), s the unit vector to the source (azimuth from
/// north to east and elevation, in degrees), f the beamlet's frequency, c = 299792458 m/s (`speed`, which may
/// be that of sound or of seismic waves) and g_a its gain. An antenna closer to the source receives it
/// earlier. Beams are fixed (`directions`) or follow sources on the sky (`sky`, from `site`), steered for the
/// middle of each frame. This requires narrow beamlets: their width times the array's delay must be well
/// below 1.
///
/// Missing antennas have no weight: the mean is over the others, and the amplitude of the common signal is
/// preserved. Their own noise is averaged over fewer: with n present antennas the noise power of a beam is
/// 1/n of theirs, so that it rises with losses. If fewer than the share `least` of antennas are present, the
/// beam is missing; with `least` 1 even such powers can be compared. Values keep their unit. Stateless.
///
/// Source: van Trees, "Optimum array processing" (2002), 2.

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind beamform_kernel();

}  // namespace takt::pipeline
