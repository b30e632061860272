#pragma once
/// A pipeline's schedule with a summary for users and reports.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "logp/machine.hpp"
#include "logp/schedule_file.hpp"
#include "pipeline/config/pipeline.hpp"
#include "pipeline/planning/run_plan.hpp"
#include "pipeline/planning/verdict.hpp"
#include "schedulers/plan/plan.hpp"

namespace takt::pipeline {

struct PipelinePlan {
  /// The pipeline's task graph with the costs used for planning.
  TaskGraph graph;
  logp::Machine machine;
  schedulers::Plan plan;
  /// Summary for users and reports.
  RunPlan summary;

  [[nodiscard]] const Schedule& schedule() const { return plan.evaluation.schedule; }
};

/// Returns the plan with its summary. `cores`: cores of a node.
[[nodiscard]] PipelinePlan described(const Pipeline& pipeline, TaskGraph graph, logp::Machine machine,
                                     schedulers::Plan plan, std::size_t cores);

/// Returns the predicted figures, for the choice among plans.
[[nodiscard]] PlanFigures figures_of(const RunPlan& plan);

/// Returns the plan as a schedule file for takt plan, takt verify, takt view and `takt run
/// --schedule`.
[[nodiscard]] std::string to_yaml(const PipelinePlan& plan);

/// Reads the plan from a schedule file, which may be edited by hand. Throws ConfigError that names the file
/// when it is damaged; when it is of another pipeline (other tasks, connections, frame sizes, or state); when
/// its processors do not match `deployment.ranks`, or it is not valid on `deployment.machine`; or, with the
/// finding, when the checker rejects it.
[[nodiscard]] PipelinePlan plan_from_yaml(const std::string& text, const std::string& file,
                                          const Pipeline& pipeline, std::size_t cores);
/// The same for a schedule with its graph and machine; errors refer to it as `name`.
[[nodiscard]] PipelinePlan plan_of_schedule(logp::ScheduleFile given, const std::string& name,
                                            const Pipeline& pipeline, std::size_t cores);

}  // namespace takt::pipeline
