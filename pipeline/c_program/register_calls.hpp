#pragma once
/// A C program's library (program.h) as a plug-in.

#include <string>

#include "pipeline/c_program/program.h"
#include "pipeline/kernel.hpp"

namespace takt::pipeline {

/// Registers the kernel `c_call`, the source `c_input` and the sink `c_output` for the library of this file.
/// Throws ConfigError if it is of another interface, or if another library has registered these stages.
void register_calls(KernelRegistry& registry, const std::string& path, const takt_program& program);

}  // namespace takt::pipeline
