#pragma once
/// `fill`: puts values in the place of missing ones: 0, or what was there last. Any element, any axes.
///
/// Behind it nothing counts as missing; a second output tells what did. The means of such frames are wrong by
/// what was lost, or held: for programs that can take neither NaN nor flags.

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind fill_kernel();

}  // namespace takt::pipeline
