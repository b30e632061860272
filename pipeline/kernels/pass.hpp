#pragma once
/// `pass`: hands its first input on, unchanged. Further inputs are only waited for.

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind pass_kernel();

}  // namespace takt::pipeline
