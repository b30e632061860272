#pragma once
/// What schedulers are asked for a pipeline.

#include <cstddef>

#include "pipeline/config/pipeline.hpp"
#include "schedulers/plan/goal.hpp"

namespace takt::pipeline {

/// The goal of the pipeline's file on nodes of so many cores. Where the file leaves it open and the source
/// has a rate of its own: the least latency at that rate.
[[nodiscard]] schedulers::Goal scheduling_goal(const Pipeline& pipeline, std::size_t cores);

}  // namespace takt::pipeline
