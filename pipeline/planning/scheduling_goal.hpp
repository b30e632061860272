#pragma once
/// Derives the goal for schedulers from a pipeline.

#include <cstddef>

#include "pipeline/config/pipeline.hpp"
#include "schedulers/plan/goal.hpp"

namespace takt::pipeline {

/// Returns the goal of the pipeline's file for nodes with this number of cores. If the file sets no goal and
/// the source has a rate of its own: the least latency at that rate. Its schedules are not pipelined: frames
/// of those wait for later ones where a source pauses, so they are candidates of their own (candidates.hpp).
[[nodiscard]] schedulers::Goal scheduling_goal(const Pipeline& pipeline, std::size_t cores);

}  // namespace takt::pipeline
