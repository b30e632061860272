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
///   to       = bytes of the inputs / speed of the link to the device, if that is known
///   from     = bytes of the output / speed of the link back, if that is known
///   work     = min(units * interval, latency - to - from)
///   transfer = latency - to - work - from
///
/// `interval` is the time between the ends of two frames with `depth` under way, while `units` frames are
/// worked on; a frame that is alone occupies a unit for at most its latency. A link with a known speed
/// is a device of its own (`gpu0.to`, `gpu0.from`). Without one, `transfer` includes both directions, and
/// where transfers are the slowest part of a device, they count as its work. A task whose frames are complete
/// within the call that starts them (`hold`) has no device, unless the pipeline or its kernel names one.
[[nodiscard]] std::vector<Device> devices_of(const Pipeline& pipeline, const std::vector<StageCost>& costs);

/// Schedules have the time in which an asynchronous kernel occupies its rank, and that of its device. This
/// adds the rest to the summary: the devices, values of theirs that the costs contradict, what limits a task
/// with its `depth` (StageCost::interval), and in the latency of the sinks downstream the `depth` later
/// frames whose arrival passes a frame on, or the device's latency with its waits if that is longer. `costs`
/// by stage; empty if they are unknown.
void charge_devices(const Pipeline& pipeline, const std::vector<StageCost>& costs, const Schedule& schedule,
                    RunPlan& summary);

}  // namespace takt::pipeline
