#pragma once
/// Shows a recorded run as a page.

#include <string>

#include "core/pictures/page.hpp"
#include "pipeline/report/trace.hpp"

namespace takt::pipeline {

/// Makes the replay over the task graph, planned and measured times of each task, and the planned schedule.
[[nodiscard]] Page trace_page(const std::string& name, const RunTrace& trace);

}  // namespace takt::pipeline
