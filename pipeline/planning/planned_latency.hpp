#pragma once
/// How long a frame takes by the plan.

#include "core/schedule.hpp"
#include "pipeline/config/pipeline.hpp"

namespace takt::pipeline {

/// From the start of a frame's source to its end in a sink, where it waits for no other frame: the median
/// over the sinks and the frames of a repetition, each counted as often as its sink gets one. 0 for a
/// schedule without sinks. O(operations).
[[nodiscard]] Time planned_latency(const Pipeline& pipeline, const Schedule& schedule);

}  // namespace takt::pipeline
