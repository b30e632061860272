#pragma once
/// `fill`: replaces missing values by 0 or by the last present value. Any element, any axes.
///
/// No value of the output counts as missing; a second output marks the replaced ones. Means of such frames
/// are biased by the lost or repeated values: for programs that support neither NaN nor flags.
///
/// The second output is uint8 of the same axes: 1 where a value was missing. Values keep their unit. Stateful
/// if it repeats values. O(1) per value. Source: Little and Rubin, "Statistical analysis with missing data"
/// (2002), 4: single imputation, and its effect on means.

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind fill_kernel();

}  // namespace takt::pipeline
