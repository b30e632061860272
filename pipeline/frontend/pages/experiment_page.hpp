#pragma once
/// Shows planned times next to executed ones as a page.

#include <vector>

#include "core/pictures/page.hpp"
#include "pipeline/frontend/execution/experiment.hpp"

namespace takt::frontend {

/// Shows for each experiment the times of its schedulers, how ranks spend the makespan, and all figures; of
/// several ones also the executed times by program.
[[nodiscard]] Page experiments_page(const std::vector<Experiment>& experiments);

}  // namespace takt::frontend
