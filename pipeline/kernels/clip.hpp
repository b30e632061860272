#pragma once
/// `clip`: bounds values, or takes those beyond the bounds for missing. Any axes.
///
/// float32... -> float32.... Mode `clamp` puts the bound in their place, mode `missing` NaN. What is missing
/// stays so. Values keep their unit. O(1) a value, stateless.
///
/// Source: Fridman and Baan, "RFI mitigation methods in radio astronomy" (A&A 378, 2001), for thresholds.

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind clip_kernel();

}  // namespace takt::pipeline
