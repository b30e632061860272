#pragma once
/// Chooses the plan of a run from kept values, measurements and trial runs.

#include <vector>

#include "pipeline/calls/rank_tasks.hpp"
#include "pipeline/config/pipeline.hpp"
#include "pipeline/planning/places.hpp"
#include "pipeline/planning/run_plan.hpp"
#include "pipeline/runtime/output_placement.hpp"
#include "pipeline/runtime/rank/monitor.hpp"
#include "pipeline/runtime/rank/rank_options.hpp"

namespace takt::pipeline {

/// Returns on all ranks the plan of the run before a restart, that of an earlier run, or a new one. `nodes`
/// lists which of them share memory, and `output_placements` keeps results of trial runs. `tasks`: the cores
/// of this rank; with `cores_per_rank: auto`, RunPlan::cores_per_rank says how many of them the plan uses.
/// The plan has every task in its place. Collective. Throws ConfigError.
[[nodiscard]] SharedPlan choose_plan(const Pipeline& pipeline, const RankOptions& options,
                                     const std::vector<int>& nodes, int rank, Monitor& monitor,
                                     OutputPlacements& output_placements, RankTasks& tasks,
                                     const RankPlaces& places);

/// Throws ConfigError, on the first rank of each node, if its memory cannot hold the frames of its ranks.
void check_memory_of_node(const RunPlan& plan, const std::vector<int>& nodes, int rank);

}  // namespace takt::pipeline
