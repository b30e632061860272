#pragma once
/// The plan of a run: found, measured and tried by its ranks.

#include <vector>

#include "pipeline/config/pipeline.hpp"
#include "pipeline/planning/run_plan.hpp"
#include "pipeline/runtime/output_placement.hpp"
#include "pipeline/runtime/rank/monitor.hpp"
#include "pipeline/runtime/rank/rank_options.hpp"

namespace takt::pipeline {

/// The plan of the run before a restart, that of an earlier run, or a new one, on all ranks; `nodes` says
/// which of them share memory, and `output placements` learns from trial runs. Collective. Throws
/// ConfigError.
[[nodiscard]] SharedPlan choose_plan(const Pipeline& pipeline, const RankOptions& options,
                                     const std::vector<int>& nodes, int rank, Monitor& monitor,
                                     OutputPlacements& output_placements);

/// On the first rank of each node: throws ConfigError unless there is room for the frames of its ranks.
void check_memory_of_node(const RunPlan& plan, const std::vector<int>& nodes, int rank);

}  // namespace takt::pipeline
