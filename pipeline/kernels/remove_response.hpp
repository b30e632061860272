#pragma once
/// `remove_response`: converts the counts of a seismometer to the motion of the ground.
///
/// float32 with an axis `time` -> the same type, in m, m/s or m/s^2. Parameters of the instrument's response
/// are poles and zeros of the Laplace transform (rad/s), the normalisation factor A0, and the sensitivity, in
/// counts per unit of its motion:
///
///   H(f) = sensitivity A0 product of (2 pi i f - zero) / product of (2 pi i f - pole)
///   G(f) = taper(f) / H'(f)
///
/// with H' for the chosen unit, raised where it is below the water level: to 10^(-level / 20) of its largest
/// modulus, with its phase. The taper is a cosine from 0 to 1 between the first two frequencies of the band
/// and back between the others. G becomes a filter of finite length, under a window that is flat in its
/// middle half; UTC moves back by half of it, so that times are those of the ground. A sum with a missing
/// sample is missing.
///
/// Source: Scherbaum, "Of Poles and Zeros" (2001); water level: Clayton and Wiggins (1976). O(T taps).

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind remove_response_kernel();

}  // namespace takt::pipeline
