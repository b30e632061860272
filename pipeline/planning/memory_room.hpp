#pragma once
/// Checks that a node has memory for the frames of its ranks.

#include <cstddef>
#include <string>
#include <vector>

#include "core/units.hpp"
#include "pipeline/planning/run_plan.hpp"

namespace takt::pipeline {

/// Throws ConfigError unless the frames of these ranks, which share a node, fit its free memory. Internal
/// memory of sources and kernels is unknown and not included.
void check_memory_room(const RunPlan& plan, const std::vector<std::size_t>& ranks, Bytes free,
                       const std::string& host);

}  // namespace takt::pipeline
