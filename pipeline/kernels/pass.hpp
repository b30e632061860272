#pragma once
/// `pass`: copies its first input unchanged. Further inputs only synchronise.
///
/// Any elements and axes, with units and side values. Stateless, one copy. No formula, and so no
/// source.

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind pass_kernel();

}  // namespace takt::pipeline
