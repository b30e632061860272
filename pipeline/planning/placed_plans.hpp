#pragma once
/// Makes plans that keep stages on the ranks that may run them.

#include <cstddef>
#include <optional>
#include <vector>

#include "core/schedule.hpp"
#include "pipeline/config/pipeline.hpp"
#include "pipeline/costs/stage_cost.hpp"
#include "pipeline/planning/candidates.hpp"
#include "pipeline/planning/pipeline_plan.hpp"

namespace takt::pipeline {

/// By stage, the ranks that may run it, ascending; empty: all.
using RanksByStage = std::vector<std::vector<std::size_t>>;

/// Returns the schedule with its processors renumbered so that tasks are on ranks that may run them; nothing
/// if no renumbering achieves that. For machines with equal processors. Keeps numbers where it can.
///
/// O(processors^3), a bipartite matching. Source: Kuhn, "The Hungarian method for the assignment problem"
/// (1955).
[[nodiscard]] std::optional<Schedule> renumbered(const Schedule& schedule, const RanksByStage& ranks);

/// Returns costs where a task takes, on a rank that may not run it, 100 times as long as all tasks of a frame
/// together, each on its slowest rank, and as the required rate allows: no plan that has it there is better
/// than one without.
[[nodiscard]] std::vector<StageCost> costs_in_places(const RanksByStage& ranks, const Pipeline& pipeline,
                                                     std::size_t rank_count, std::vector<StageCost> costs);

/// Return what candidate_plans, plan_for_low_load and plan_pipeline return, but only plans that keep stages
/// on these ranks: plans made without them and renumbered, and plans made with `costs_in_places`. Throw
/// ConfigError at the first place if there is none.
[[nodiscard]] std::vector<PipelinePlan> candidates_in_places(const Pipeline& pipeline,
                                                             const std::vector<StageCost>& costs,
                                                             const Surroundings& surroundings,
                                                             const RanksByStage& ranks);
[[nodiscard]] std::optional<PipelinePlan> low_load_in_places(const Pipeline& pipeline,
                                                             const std::vector<StageCost>& costs,
                                                             const Surroundings& surroundings,
                                                             const RanksByStage& ranks);
[[nodiscard]] PipelinePlan plan_in_places(const Pipeline& pipeline, const std::vector<StageCost>& costs,
                                          const Surroundings& surroundings, const RanksByStage& ranks);

}  // namespace takt::pipeline
