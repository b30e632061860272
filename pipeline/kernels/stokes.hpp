#pragma once
/// `stokes`: power and polarisation of two linear, orthogonal feeds X and Y, for any axes before them.
///
///   I = |X|^2 + |Y|^2,  Q = |X|^2 - |Y|^2,  U = 2 Re(X Y*),  V = 2 Im(X Y*)
///
/// Mode I removes the polarisation axis; mode IQUV also removes it and inserts an axis `stokes` before the
/// last remaining one: complex_float32[time][channel][polarisation=2] -> float32[time][stokes=4][channel].
/// The unit is the square of the feeds'. Source: Hamaker and Bregman, "Understanding radio polarimetry III"
/// (1996). O(1) per value.

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind stokes_kernel();

}  // namespace takt::pipeline
