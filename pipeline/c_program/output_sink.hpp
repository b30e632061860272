#pragma once
/// The sink of a C program: its calls that print.

#include <string>

#include "pipeline/stage_kinds.hpp"

namespace takt::pipeline {

/// Returns `c_output`: for each frame it runs the printing calls, and appends what they print on stdout to a
/// file.
[[nodiscard]] SinkKind output_sink(const std::string& path);

}  // namespace takt::pipeline
