#pragma once
/// Infrequent, expensive frames in a plan.

#include <string>
#include <vector>

#include "pipeline/planning/run_plan.hpp"
#include "pipeline/profiling/stage_cost.hpp"

namespace takt::pipeline {

/// Puts those of each stage into the summary.
void note_rare_calls(const std::vector<StageCost>& costs, RunPlan& summary);

/// A sentence for each stage whose infrequent frames make up much: 8 % of the stage's work, and 1 % of the
/// plan's period. They hold only where there are frames.
[[nodiscard]] std::vector<std::string> rare_call_notes(const RunPlan& summary);

/// Whether some stage has so many of them that what a plan sustains for a moment says little of what it
/// sustains.
[[nodiscard]] bool has_rare_frames(const RunPlan& summary);

}  // namespace takt::pipeline
