#pragma once
/// Frames that come seldom and take far longer than others: what a plan says of them.

#include <vector>

#include "pipeline/planning/run_plan.hpp"
#include "pipeline/profiling/stage_cost.hpp"

namespace takt::pipeline {

/// Puts those of each stage into the summary, and a note of each where they make up much: 8 % of the stage's
/// work, and 1 % of what the plan has for a frame, or a sink that takes 60 ns and once a microsecond would be
/// told of.
void note_rare_calls(const std::vector<StageCost>& costs, RunPlan& summary);

/// Whether they make up so much of some stage's work that what a plan sustains for a moment says little of
/// what it sustains.
[[nodiscard]] bool has_rare_frames(const RunPlan& summary);

}  // namespace takt::pipeline
