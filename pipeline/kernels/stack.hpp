#pragma once
/// `stack`: several inputs side by side in one frame, along a new axis or one that they have.
///
/// Frames of one type (along an axis that they have, its size may differ), any element, from 2 inputs on.
/// Along a new axis, which becomes the first one: [...] -> [axis=inputs][...]. Along an axis that they have:
/// [axis=A]..., [axis=B]... -> [axis=A+B]..., with the coordinates of all where all have them.

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind stack_kernel();

}  // namespace takt::pipeline
