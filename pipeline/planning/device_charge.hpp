#pragma once
/// Adds the work that asynchronous kernels do outside of their ranks to a plan.

#include <vector>

#include "pipeline/config/pipeline.hpp"
#include "pipeline/costs/stage_cost.hpp"
#include "pipeline/planning/run_plan.hpp"

namespace takt::pipeline {

/// Schedules have the time in which an asynchronous kernel occupies its rank. This adds the rest to the
/// summary: the predicted throughput is at most that of each device (StageCost::interval), and the latency of
/// the sinks downstream includes the `depth` later frames whose arrival passes a frame on, or the device's
/// latency if that is longer. `costs` by stage; empty if they are unknown.
void charge_devices(const Pipeline& pipeline, const std::vector<StageCost>& costs, RunPlan& summary);

}  // namespace takt::pipeline
