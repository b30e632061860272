#pragma once
/// The built-in sources.

#include <vector>

#include "pipeline/stage_kinds.hpp"

namespace takt::pipeline {

/// The table of built-in sources; KernelRegistry holds them and those of plug-ins.
[[nodiscard]] const std::vector<SourceKind>& all_sources();

}  // namespace takt::pipeline
