#pragma once
/// `clip`: limits values, or marks those beyond the limits as missing. Any axes.
///
/// float32... -> float32.... Mode `clamp` replaces values beyond a bound by the bound, mode `missing` by NaN.
/// Missing values stay missing. Values keep their unit. O(1) per value, stateless.
///
/// Source: Fridman and Baan, "RFI mitigation methods in radio astronomy" (A&A 378, 2001), for thresholds.

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind clip_kernel();

}  // namespace takt::pipeline
