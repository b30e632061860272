#pragma once
/// `pass`: hands its first input on, unchanged. Further inputs are only waited for.
///
/// Any elements and axes, units and side values among them. Stateless, one copy. No formula, and so no
/// source.

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind pass_kernel();

}  // namespace takt::pipeline
