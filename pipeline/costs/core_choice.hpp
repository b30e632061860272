#pragma once
/// Chooses how many cores each rank gets (`deployment: {cores_per_rank}`).

#include <cstddef>
#include <functional>
#include <vector>

#include "pipeline/calls/rank_tasks.hpp"
#include "pipeline/config/pipeline.hpp"
#include "pipeline/costs/stage_cost.hpp"

namespace takt::pipeline {

/// Returns the most cores that a rank may use on this node: the number in the pipeline file, or with `auto`
/// an equal share of the node's `processors` for its `ranks`. Throws ConfigError if the node has fewer.
[[nodiscard]] std::size_t most_cores(const Deployment& deployment, std::size_t processors, std::size_t ranks);

/// Returns the costs that `measure` returns on the cores of `tasks`, which it calls once, or, with `auto`, on
/// one core and on all: those on all cores if a frame then takes less time in all tasks together, by more
/// than the accuracy of costs. Leaves `tasks` with that number of cores.
[[nodiscard]] std::vector<StageCost> costs_of_best_cores(
    const Pipeline& pipeline, RankTasks& tasks, const std::function<std::vector<StageCost>()>& measure);

}  // namespace takt::pipeline
