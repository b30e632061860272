#pragma once
/// `quantise`: floats to 8, 4, 2 or 1 bits, for files of search data.
///
/// float32[time]... -> uint8[time]... of codes 0 .. 2^bits - 1, one per byte:
///
///   code = round(2^(bits-1) - 1/2 + (x - mean) / (step deviation)), bounded
///
/// with mean and standard deviation of each channel over the first frame in which it varies (`levels: first`,
/// so that powers are comparable over the whole file) or over each frame (`levels: each`), and `step`
/// standard deviations between codes: the optimum for noise, 0.0308, 0.335, 0.996 and 1.596 for 8, 4, 2 and 1
/// bits. A channel without deviation has the middle code. Missing values are flagged and have the code below
/// the middle. Codes have no unit. Stateful with `levels: first`. O(1) per value.
///
/// Source: Max, "Quantizing for minimum distortion" (1960), uniform steps; Jenet and Anderson, "The effects
/// of digitization on nonstationary stochastic signals" (1998).

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind quantise_kernel();

}  // namespace takt::pipeline
