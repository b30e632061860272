#pragma once
/// `phase_rotate`: multiplies by exp(-2 pi i (phase + frequency t)): fringe stopping, and mixing to another
/// frequency.
///
/// complex_float32 with an axis `time` -> the same type. t counts from 1970 by the frames' UTC, so that
/// several streams are rotated consistently; `phase` is in turns. With `moves` the coordinates of the axis
/// `beamlet` decrease by the frequency, as in a mixer.
///
/// `frequency` in Hz. Values keep their unit. O(1) per sample. Source: Thompson, Moran and Swenson,
/// "Interferometry and synthesis in radio astronomy" (2017), 6.1.

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind phase_rotate_kernel();

}  // namespace takt::pipeline
