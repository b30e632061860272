#pragma once
/// The built-in sinks.

#include <vector>

#include "pipeline/stage_kinds.hpp"

namespace takt::pipeline {

/// The table of built-in sinks; KernelRegistry holds them and those of plug-ins.
[[nodiscard]] const std::vector<SinkKind>& all_sinks();

}  // namespace takt::pipeline
