#pragma once
/// Frames that come seldom and take far longer than others: what a plan says of them.

#include <vector>

#include "pipeline/planning/run_plan.hpp"
#include "pipeline/planning/stage_cost.hpp"

namespace takt::pipeline {

/// Puts those of each stage into the summary, and a note of each.
void note_rare_calls(const std::vector<StageCost>& costs, RunPlan& summary);

/// Whether they make up so much of some stage's work (8 %) that what a plan sustains for a moment says little
/// of what it sustains.
[[nodiscard]] bool has_rare_frames(const RunPlan& summary);

}  // namespace takt::pipeline
