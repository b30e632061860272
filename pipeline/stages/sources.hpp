#pragma once
/// The built-in sources.

#include <vector>

#include "pipeline/stage_kinds.hpp"

namespace takt::pipeline {

/// The one table of built-in sources; KernelRegistry has them and those of plug-ins.
[[nodiscard]] const std::vector<SourceKind>& all_sources();

}  // namespace takt::pipeline
