#pragma once
/// The kernel of a C program: one of its calls.

#include <string>

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

/// Returns `c_call`. It has no state.
[[nodiscard]] KernelKind call_kernel(const std::string& path);

}  // namespace takt::pipeline
