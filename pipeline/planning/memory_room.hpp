#pragma once
/// Whether a node has room for the frames of its ranks.

#include <cstddef>
#include <string>
#include <vector>

#include "core/units.hpp"
#include "pipeline/planning/run_plan.hpp"

namespace takt::pipeline {

/// Throws ConfigError unless the frames of these ranks, which share a node, have room in what is free there.
/// What sources and kernels hold for themselves is not known, and comes on top.
void check_memory_room(const RunPlan& plan, const std::vector<std::size_t>& ranks, Bytes free,
                       const std::string& host);

}  // namespace takt::pipeline
