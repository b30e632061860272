#pragma once
/// The built-in sinks.

#include <vector>

#include "pipeline/stage_kinds.hpp"

namespace takt::pipeline {

/// The one table of built-in sinks; KernelRegistry has them and those of plug-ins.
[[nodiscard]] const std::vector<SinkKind>& all_sinks();

}  // namespace takt::pipeline
