#pragma once
/// `hold`: passes each frame on unchanged, `frames` frames later.
///
/// Any elements and axes, with units and side values. Two inputs of a task then meet if one passes an
/// asynchronous kernel, whose output is as many frames late. Copies frames: no formula, and so no source.

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind hold_kernel();

}  // namespace takt::pipeline
