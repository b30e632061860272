#pragma once
/// Reorders schedules so that ranks finish one frame before they begin the next one.

#include <optional>

#include "core/graphs/task_graph.hpp"
#include "logp/machine.hpp"
#include "pipeline/tiles/tiling.hpp"
#include "schedulers/plan/plan.hpp"

namespace takt::pipeline {

/// Returns the plan with the same tasks and messages on each processor, done frame by frame. In an iteration
/// of several frames schedulers start a task wherever there is room. Their models ignore that work between a
/// task and its successor on a frame evicts the frame from the caches and prevents shared tiles
/// (pipeline/tiles). Messages have the same effect: they are sent after the tasks that read the same tiles
/// (`tiling` by task, or empty), unless that lengthens the period. Returns nothing if the plan is in this
/// order already, is pipelined, has groups or routes through a network, or if its period would grow by more
/// than 3 %, the accuracy of costs: where frames alternate between processors, one frame fills the pauses of
/// another. Also returns nothing if a plan for a rate would not hold it, or its latency would grow by a
/// tenth.
[[nodiscard]] std::optional<schedulers::Plan> in_order_of_frames(const TaskGraph& graph,
                                                                 const logp::Machine& machine,
                                                                 const schedulers::Goal& goal,
                                                                 const schedulers::Plan& plan,
                                                                 const Tiling& tiling);

}  // namespace takt::pipeline
