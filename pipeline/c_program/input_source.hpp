#pragma once
/// The source of a C program: its calls that read stdin.

#include <string>

#include "pipeline/stage_kinds.hpp"

namespace takt::pipeline {

/// Returns `c_input`: each frame is what one run of the reading calls makes. They read a file as stdin, until
/// only white space follows.
[[nodiscard]] SourceKind input_source(const std::string& path);

}  // namespace takt::pipeline
