#pragma once
/// Kernels that give a frame for few of their inputs: how long those wait that a sink gets.

#include <vector>

#include "pipeline/planning/run_plan.hpp"
#include "pipeline/profiling/stage_cost.hpp"

namespace takt::pipeline {

/// Adds to the latency of each sink what stages that are called for few frames (PlannedStage::calls_a_frame)
/// take longer in these than the mean over all frames, which the schedule has: where ways join, on the one
/// that has most of it. O(stages + inputs).
void count_seldom_calls(RunPlan& summary);

/// Lowers the prediction to what is true where one rank has all calls of a stage that is called for few
/// frames and that several ranks have, which the schedule shares out evenly: of two that take frames by turns
/// one has every second frame, and two calls far apart are not made side by side. Says so as its limit.
/// O(stages + ranks).
void count_uneven_calls(RunPlan& summary);

/// The same, where a call lasts longer than the frames that may wait for the rank (RunPlan::frames_held): the
/// others wait for its end, and the rest of it is not done beside them.
void count_long_calls(RunPlan& summary);

/// Adds to the latency of each sink what the frames that it gets take longer on their way than others
/// (StageCost::result), which the schedule knows nothing of; ways and complexity as above.
void count_results(const std::vector<StageCost>& costs, RunPlan& summary);

}  // namespace takt::pipeline
