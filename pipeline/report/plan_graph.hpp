#pragma once
/// The task graph of a run's plan.

#include "core/graphs/task_graph.hpp"
#include "core/pictures/graph_view.hpp"
#include "pipeline/protocol/run_record.hpp"

namespace takt::pipeline {

/// Returns one task for each stage, with its name and planned cost. Throws ConfigError if an input is not a
/// stage.
[[nodiscard]] TaskGraph graph_of(const RunPlan& plan);
/// Returns the ranks of the tasks of that graph.
[[nodiscard]] TaskProcessors ranks_of(const RunPlan& plan);

}  // namespace takt::pipeline
