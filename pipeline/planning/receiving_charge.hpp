#pragma once
/// Accounts for receiving threads in a plan: without cores of their own they use those of ranks.

#include <cstddef>
#include <vector>

#include "pipeline/costs/stage_cost.hpp"
#include "pipeline/planning/run_plan.hpp"

namespace takt::pipeline {

/// Returns each stage's cost of receiving its frames (StageCost::receiving); nothing if the cores suffice for
/// all ranks and for one thread of each receiving source.
[[nodiscard]] std::vector<Time> charge_for_receiving(const std::vector<StageCost>& costs, std::size_t ranks,
                                                     std::size_t cores);

[[nodiscard]] std::vector<StageCost> with_receiving(std::vector<StageCost> costs,
                                                    const std::vector<Time>& charge);

/// Adds the charge to the plan's notes and stages, and subtracts it from the predicted latency, which begins
/// when a frame is complete.
void note_receiving(const std::vector<Time>& charge, RunPlan& summary);

}  // namespace takt::pipeline
