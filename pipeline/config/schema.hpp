#pragma once
/// The form of pipeline files, for editors.

#include <string>

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

/// A JSON schema (draft 7) of pipeline files, made from the tables that check them: with it an editor offers
/// keys, kernels and parameters with their help, and marks what is wrong. It sees each value for itself; what
/// several have to do with each other (connections, types of frames) only takt knows. `kernels` are those
/// that a file may name.
[[nodiscard]] std::string pipeline_schema(const KernelRegistry& kernels);

}  // namespace takt::pipeline
