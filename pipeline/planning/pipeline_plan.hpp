#pragma once
/// A schedule of a pipeline with what a report and a user need of it.

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
  /// The pipeline's task graph with the costs that were planned with.
  TaskGraph graph;
  logp::Machine machine;
  schedulers::Plan plan;
  /// What a report and a user need of it.
  RunPlan summary;

  [[nodiscard]] const Schedule& schedule() const { return plan.evaluation.schedule; }
};

/// The plan with its summary: what a run does by this schedule. `cores` are those of a node.
[[nodiscard]] PipelinePlan described(const Pipeline& pipeline, TaskGraph graph, logp::Machine machine,
                                     schedulers::Plan plan, std::size_t cores);

/// What the plan is predicted to sustain, for the choice among plans.
[[nodiscard]] PlanFigures figures_of(const RunPlan& plan);

/// The plan as a schedule file: takt plan, takt verify and takt view read it, and a run can be made to obey
/// it.
[[nodiscard]] std::string to_yaml(const PipelinePlan& plan);

/// The plan of a schedule file, which may have been edited by hand. Throws ConfigError, which names the file,
/// when the file is damaged; when it is of another pipeline (other tasks, connections, sizes of frames, or
/// state); when it has other processors than `deployment.ranks`, or `deployment.machine` is another machine
/// on which it is not valid; or when the checker rejects it: then with the finding.
[[nodiscard]] PipelinePlan plan_from_yaml(const std::string& text, const std::string& file,
                                          const Pipeline& pipeline, std::size_t cores);
/// The same of a schedule with its graph and machine; errors call it `name`.
[[nodiscard]] PipelinePlan plan_of_schedule(logp::ScheduleFile given, const std::string& name,
                                            const Pipeline& pipeline, std::size_t cores);

}  // namespace takt::pipeline
