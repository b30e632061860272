#pragma once
/// `select`: keeps `count` indices of one axis from `first` on, for any type of element.

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind select_kernel();

}  // namespace takt::pipeline
