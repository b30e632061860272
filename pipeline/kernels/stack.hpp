#pragma once
/// `stack`: several inputs side by side in one frame, along a new axis or one that they have.
///
/// Frames of one type (along an axis that they have, its size may differ), any element, from 2 inputs on.
/// Along a new axis, which becomes the first one: [...] -> [axis=inputs][...]. Along an axis that they have:
/// [axis=A]..., [axis=B]... -> [axis=A+B]..., with the coordinates of all where all have them.
///
/// `merge_lanes`: the lanes of a station that come as sources of their own, in the order of the inputs; stack
/// along `beamlet`, which all must have. What is missing of one lane is missing of its beamlets only.
///
/// Inputs have the same frequencies and other coordinates along the axes that are not joined. Values keep
/// their unit. Stateless, one copy. Source: `numpy.stack` and `numpy.concatenate` of the NumPy reference.

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind stack_kernel();
[[nodiscard]] KernelKind merge_lanes_kernel();

}  // namespace takt::pipeline
