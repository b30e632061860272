#pragma once
/// Measures what an asynchronous kernel does elsewhere.

#include <cstddef>

#include "pipeline/config/pipeline.hpp"
#include "pipeline/costs/sample_frames.hpp"
#include "pipeline/costs/stage_cost.hpp"

namespace takt::pipeline {

/// Sets the latency (median of single frames) and the interval (mean with `depth` frames under way) of an
/// asynchronous kernel, on sample frames, within about this time each, for at least a few frames.
void measure_asynchronous(const Pipeline& pipeline, std::size_t stage, const SampleFrames& samples,
                          Time budget, StageCost& cost);

}  // namespace takt::pipeline
