#pragma once
/// `transpose`: reorders the axes of frames, any element.
///
/// float32[time=T][channel=C] with axes [channel, time] -> float32[channel=C][time=T]. Frames of integers
/// with flags of missing parts are rejected: unpack them first.
///
/// Values keep their unit. Stateless, in blocks that fit a cache. Source: `numpy.transpose` of the NumPy
/// reference; blocks: Golub and Van Loan, "Matrix computations" (2013), 1.5.

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind transpose_kernel();

}  // namespace takt::pipeline
