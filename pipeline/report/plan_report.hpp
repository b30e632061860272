#pragma once
/// The plan of a run as text and JSON.

#include <string>

#include "pipeline/planning/pipeline_plan.hpp"

namespace takt::pipeline {

/// Returns a pipeline as its file describes it: stages with input and output types, and requirements.
[[nodiscard]] std::string pipeline_to_text(const Pipeline& pipeline);

/// Stages with their types, costs and ranks; each rank's load and memory; the prediction next to what is
/// required; notes. Lines of 80 columns where names allow it.
[[nodiscard]] std::string plan_to_text(const RunPlan& plan);
/// The same, then the schedule as a Gantt chart in letters.
[[nodiscard]] std::string plan_to_text(const PipelinePlan& plan);

/// The object that `takt plan GRAPH --format json` prints, with a member `pipeline`: the run's plan.
/// docs/reference/cli.md documents the keys.
[[nodiscard]] std::string plan_to_json(const PipelinePlan& plan);

/// `0, 1, 2, 3 (2 together)`: the ranks of a task, so many of which work at a frame together.
[[nodiscard]] std::string ranks_of_task(const std::vector<std::size_t>& ranks, std::size_t group);

/// Returns the planned load of each rank, and the frequency to which it applies: the required one if
/// predicted to be held, otherwise the predicted one.
struct PlannedLoad {
  std::vector<double> busy;
  double at_hz = 0;
};
[[nodiscard]] PlannedLoad planned_load(const RunPlan& plan);

/// What the schedule was chosen for, where that is not the highest frequency: ` (the fewest ranks that hold
/// the rate)`.
[[nodiscard]] std::string_view purpose_of(std::string_view objective);

}  // namespace takt::pipeline
