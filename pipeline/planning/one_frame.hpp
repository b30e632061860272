#pragma once
/// One frame in a repetition where several promise hardly less latency.

#include "core/task_graph.hpp"
#include "logp/machine.hpp"
#include "pipeline/config/pipeline.hpp"
#include "schedulers/plan/plan.hpp"

namespace takt::pipeline {

/// The plan; or, where it has several frames in a repetition, and one that is as fast as the goal asks has
/// one (schedulers::Plan::of_one_frame) and at most 1.15 times its latency at the pace of the source
/// (planned_latency.hpp), that one. Frames of several wait for each other in the ranks' orders, and what
/// that takes was seen to be up to 1.2 times of what is predicted.
[[nodiscard]] schedulers::Plan one_frame_where_as_good(const Pipeline& pipeline, const TaskGraph& graph,
                                                       const logp::Machine& machine,
                                                       const schedulers::Goal& goal, schedulers::Plan plan);

}  // namespace takt::pipeline
