#pragma once
/// `stack`: combines several inputs into one frame, along a new axis or an existing one.
///
/// Two or more frames of one type (along an existing axis, their sizes may differ), any element. A new axis
/// becomes the first one: [...] -> [axis=inputs][...]. Along an existing axis: [axis=A]..., [axis=B]... ->
/// [axis=A+B]..., with all coordinates if every input has them.
///
/// `merge_lanes`: combines the lanes of a station from separate sources, in the order of the inputs; stack
/// along `beamlet`, which all must have. Missing data of one lane affect its beamlets only.
///
/// Inputs must have the same frequencies and other coordinates along the other axes. Values keep their unit.
/// Stateless, one copy. Source: `numpy.stack` and `numpy.concatenate` of the NumPy reference.

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind stack_kernel();
[[nodiscard]] KernelKind merge_lanes_kernel();

}  // namespace takt::pipeline
