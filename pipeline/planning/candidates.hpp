#pragma once
/// Makes candidate plans for a run from measured costs.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "logp/machine.hpp"
#include "pipeline/config/pipeline.hpp"
#include "pipeline/costs/stage_cost.hpp"
#include "pipeline/planning/pipeline_plan.hpp"

namespace takt::pipeline {

/// The machine on which a pipeline runs.
struct Surroundings {
  logp::Machine machine;
  /// Cores of a node, shared by its ranks.
  std::size_t cores = 1;
  /// True if the links were measured for this run: then a plan for other links is a candidate, too.
  bool links_are_measured = false;
};

/// Returns at most six different plans in the order of preference (verdict.hpp):
///   * within the cores: no more busy ranks on a node than cores, if the goal's plan has more;
///   * goal: the plan for the goal, from the schedulers that support it;
///   * groups: ranks that process a frame together, if a task is moldable;
///   * travelling states: states that travel with the frames, if kernels declare that and ranks share memory;
///   * other links: the same for links that are slower (least latency) or faster (highest throughput) than
///     measured;
///   * one rank; chain: contiguous stages, one frame at a time;
///   * fastest: the highest throughput, if the goal is another one.
/// For the highest throughput the simple ones come first. A named scheduler has one candidate: its plan.
/// Throws ConfigError if the scheduler refuses, std::logic_error if the checker rejects a schedule.
[[nodiscard]] std::vector<PipelinePlan> candidate_plans(const Pipeline& pipeline,
                                                        const std::vector<StageCost>& costs,
                                                        const Surroundings& surroundings);

/// Returns the index of the best candidate by costs.
[[nodiscard]] std::size_t best_by_costs(const Pipeline& pipeline, const std::vector<PipelinePlan>& plans);

/// Returns what misfit_of (verdict.hpp) says of the candidates by costs.
[[nodiscard]] std::optional<std::string> misfit_by_costs(const Pipeline& pipeline,
                                                         const std::vector<PipelinePlan>& plans);

/// Returns the best candidate by costs, with notes: of a misfit, and of a faster one that is equal within the
/// accuracy of costs.
[[nodiscard]] PipelinePlan choose_by_costs(const Pipeline& pipeline, std::vector<PipelinePlan> plans);

/// Returns the plan for a low load, or the best candidate by costs. Throws what candidate_plans throws.
[[nodiscard]] PipelinePlan plan_pipeline(const Pipeline& pipeline, const std::vector<StageCost>& costs,
                                         const Surroundings& surroundings);

/// Returns the plan of one rank if the costs show a low load (constants.hpp) at the goal's rate, and the
/// file names neither a scheduler, nor an objective or a latency that needs more; otherwise nothing. It needs
/// no costs of links.
[[nodiscard]] std::optional<PipelinePlan> plan_for_low_load(const Pipeline& pipeline,
                                                            const std::vector<StageCost>& costs,
                                                            const Surroundings& surroundings);

}  // namespace takt::pipeline
