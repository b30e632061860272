#pragma once
/// A recorded run as a page.

#include <string>

#include "core/graphs/task_graph.hpp"
#include "core/pictures/graph_view.hpp"
#include "core/pictures/page.hpp"
#include "pipeline/report/trace.hpp"

namespace takt::pipeline {

/// The replay over the task graph, planned beside measured for each task, and the schedule as it was planned.
[[nodiscard]] Page trace_page(const std::string& name, const RunTrace& trace);

/// The task graph of a plan: a task a stage, named like it, with its planned cost.
[[nodiscard]] TaskGraph graph_of(const RunPlan& plan);
/// Where the ranks compute the tasks of that graph.
[[nodiscard]] TaskProcessors ranks_of(const RunPlan& plan);

}  // namespace takt::pipeline
