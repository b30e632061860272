#pragma once
/// Generates a JSON schema of pipeline files for editors.

#include <string>

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

/// Returns a JSON schema (draft 7) of pipeline files, generated from the tables that check them. With it an
/// editor completes keys, kernels and parameters, shows their help, and marks errors. It checks single
/// values; only takt checks relations between them (connections, types of frames). `kernels` are those that a
/// file may name.
[[nodiscard]] std::string pipeline_schema(const KernelRegistry& kernels);

}  // namespace takt::pipeline
