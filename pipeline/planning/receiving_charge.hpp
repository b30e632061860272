#pragma once
/// Threads that receive frames, in a plan: where they have no core of their own they take one from a rank.

#include <cstddef>
#include <vector>

#include "pipeline/costs/stage_cost.hpp"
#include "pipeline/planning/run_plan.hpp"

namespace takt::pipeline {

/// What each stage is charged for receiving its frames (StageCost::receiving): nothing where so many cores
/// are enough for so many ranks and a thread for each source that has one.
[[nodiscard]] std::vector<Time> charge_for_receiving(const std::vector<StageCost>& costs, std::size_t ranks,
                                                     std::size_t cores);

[[nodiscard]] std::vector<StageCost> with_receiving(std::vector<StageCost> costs,
                                                    const std::vector<Time>& charge);

/// Says so in the plan's notes and stages; the predicted latency, which begins when a frame is there, loses
/// it.
void note_receiving(const std::vector<Time>& charge, RunPlan& summary);

}  // namespace takt::pipeline
