#pragma once
/// Adds the work that asynchronous kernels do outside of their ranks to a plan.

#include <vector>

#include "core/schedule.hpp"
#include "pipeline/config/pipeline.hpp"
#include "pipeline/costs/stage_cost.hpp"
#include "pipeline/planning/run_plan.hpp"

namespace takt::pipeline {

/// Returns the devices of a pipeline (core/devices.hpp): those that it names, and one for each other
/// asynchronous task; none if the costs (by stage) are unknown. What a kernel measures is split as follows:
///
///   work     = min(units * interval, latency)
///   transfer = latency - work
///
/// `interval` is the time between the ends of two frames with `depth` under way, while `units` frames are
/// worked on; a frame that is alone occupies a unit for no longer than its latency. The rest is the transfer
/// to the device and back. Where transfers are the slowest part of a device, they count as its work. A task
/// whose frames are complete within the call that starts them (`hold`) has no device, unless the pipeline
/// names one.
[[nodiscard]] std::vector<Device> devices_of(const Pipeline& pipeline, const std::vector<StageCost>& costs);

/// Schedules have the time in which an asynchronous kernel occupies its rank, and that of its device. This
/// adds the rest to the summary: the devices, what limits a task with its `depth` (StageCost::interval), and
/// in the latency of the sinks downstream the `depth` later frames whose arrival passes a frame on, or the
/// device's latency with its waits if that is longer. `costs` by stage; empty if they are unknown.
void charge_devices(const Pipeline& pipeline, const std::vector<StageCost>& costs, const Schedule& schedule,
                    RunPlan& summary);

}  // namespace takt::pipeline
