#pragma once
/// Ranks that finish one frame before they begin the next one.

#include <optional>

#include "core/graphs/task_graph.hpp"
#include "logp/machine.hpp"
#include "pipeline/tiles/tiling.hpp"
#include "schedulers/plan/plan.hpp"

namespace takt::pipeline {

/// The plan with the same tasks and messages on each processor, done frame by frame: in a repetition of
/// several frames schedulers begin a task wherever there is room, and no model of theirs knows that what lies
/// between a task and the next one for its frame drives the frame out of the caches, and keeps tiles from
/// being handed on (pipeline/tiles). A message does so, too: it waits for the tasks that read the same tiles
/// here (`tiling` by task, or empty), unless the period is longer for that. Nothing where the plan is in this
/// order already, has groups or routes through a network, or would have a period that is longer by more than
/// costs are known, 3 %: where frames go back and forth between processors one frame fills the pauses of
/// another; nor where a plan for a rate would no longer hold it, or take a tenth longer for a frame.
[[nodiscard]] std::optional<schedulers::Plan> in_order_of_frames(const TaskGraph& graph,
                                                                 const logp::Machine& machine,
                                                                 const schedulers::Goal& goal,
                                                                 const schedulers::Plan& plan,
                                                                 const Tiling& tiling);

}  // namespace takt::pipeline
