#pragma once
/// Shows a recorded run as a page.

#include <string>

#include "core/graphs/task_graph.hpp"
#include "core/pictures/graph_view.hpp"
#include "core/pictures/page.hpp"
#include "pipeline/report/trace.hpp"

namespace takt::pipeline {

/// Makes the replay over the task graph, planned and measured times of each task, and the planned schedule.
[[nodiscard]] Page trace_page(const std::string& name, const RunTrace& trace);

/// Returns the task graph of a plan: one task for each stage, with its name and planned cost.
[[nodiscard]] TaskGraph graph_of(const RunPlan& plan);
/// Returns the ranks of the tasks of that graph.
[[nodiscard]] TaskProcessors ranks_of(const RunPlan& plan);

}  // namespace takt::pipeline
