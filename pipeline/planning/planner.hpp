#pragma once
/// From measured costs to a schedule and a prediction.

#include <vector>

#include "core/schedule.hpp"
#include "logp/machine.hpp"
#include "pipeline/config/pipeline.hpp"
#include "pipeline/planning/profile.hpp"
#include "pipeline/planning/run_plan.hpp"

namespace takt::pipeline {

struct Plan {
  TaskGraph graph;
  Schedule schedule;
  RunPlan summary;
};

/// Schedules the pipeline for the machine: with its scheduler, or as its objective says, and where no
/// schedule holds the rate with the margin, for the highest frequency. Has the checker judge the result, and
/// predicts the frequency: one over the period, or less where the ranks of a node have fewer cores than work
/// (`cores` a node; work of a frame on the node / cores).
/// Throws ConfigError when the scheduler refuses, std::logic_error when the checker finds its schedule
/// invalid.
[[nodiscard]] Plan make_plan(const Pipeline& pipeline, const std::vector<StageCost>& costs,
                             const logp::Machine& machine, std::size_t cores);

}  // namespace takt::pipeline
