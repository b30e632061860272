#pragma once
/// `select`: keeps `count` indices of one axis from `first` on, or those of a list in its order, for any type
/// of element. O(bytes kept).

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind select_kernel();

}  // namespace takt::pipeline
