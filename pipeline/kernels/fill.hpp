#pragma once
/// `fill`: puts values in the place of missing ones: 0, or what was there last. Any element, any axes.
///
/// Behind it nothing counts as missing; a second output tells what did. The means of such frames are wrong by
/// what was lost, or held: for programs that can take neither NaN nor flags.
///
/// The second output is uint8 of the same axes: 1 where a value was missing. Values keep their unit. State
/// where it holds values. O(1) a value. Source: Little and Rubin, "Statistical analysis with missing data"
/// (2002), 4: single imputation, and what it does to means.

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind fill_kernel();

}  // namespace takt::pipeline
