#pragma once
/// `hold`: passes each frame on unchanged, `frames` frames later.
///
/// Any elements and axes, with units and side values. It keeps an input of a task together with another one
/// that an asynchronous kernel has made, which comes as many frames later. Copies. No formula, and so no
/// source.

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind hold_kernel();

}  // namespace takt::pipeline
