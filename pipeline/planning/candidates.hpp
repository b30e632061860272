#pragma once
/// From measured costs to the plans that a run may take.

#include <cstddef>
#include <optional>
#include <vector>

#include "logp/machine.hpp"
#include "pipeline/config/pipeline.hpp"
#include "pipeline/costs/stage_cost.hpp"
#include "pipeline/planning/pipeline_plan.hpp"

namespace takt::pipeline {

/// What is known of the place where a pipeline runs.
struct Surroundings {
  logp::Machine machine;
  /// Cores of a node, which its ranks share.
  std::size_t cores = 1;
  /// Whether the links were measured for this run: then a plan for other links is a candidate, too.
  bool links_are_measured = false;
};

/// At most six plans, no two alike, in the order in which plans are preferred (verdict.hpp):
///   * within the cores: no more busy ranks on a node than it has cores, where the goal's plan has more;
///   * goal: what the goal asks for, from the schedulers that serve it;
///   * groups: ranks that work on a frame together, where a task is moldable;
///   * other links: the same for links that are slower (least latency) or faster (highest throughput) than
///     measured;
///   * one rank; chain: contiguous stages, one frame at a time;
///   * fastest: the highest throughput, where the goal is another one.
/// For the highest throughput the simple ones come first. A named scheduler has one candidate: its plan.
/// Throws ConfigError when the scheduler refuses, std::logic_error when the checker rejects a schedule.
[[nodiscard]] std::vector<PipelinePlan> candidate_plans(const Pipeline& pipeline,
                                                        const std::vector<StageCost>& costs,
                                                        const Surroundings& surroundings);

/// The index of the best candidate by costs.
[[nodiscard]] std::size_t best_by_costs(const Pipeline& pipeline, const std::vector<PipelinePlan>& plans);

/// That plan, with a note where costs cannot tell a faster one from it.
[[nodiscard]] PipelinePlan choose_by_costs(const Pipeline& pipeline, std::vector<PipelinePlan> plans);

/// The plan for a low load, or the best candidate by costs. Throws what candidate_plans throws.
[[nodiscard]] PipelinePlan plan_pipeline(const Pipeline& pipeline, const std::vector<StageCost>& costs,
                                         const Surroundings& surroundings);

/// The plan of one rank where costs say that it has a low load (constants.hpp) at the rate that the goal
/// needs, and the file names neither an objective that asks for more nor a scheduler; nothing elsewhere. It
/// needs no costs of links.
[[nodiscard]] std::optional<PipelinePlan> plan_for_low_load(const Pipeline& pipeline,
                                                            const std::vector<StageCost>& costs,
                                                            const Surroundings& surroundings);

}  // namespace takt::pipeline
