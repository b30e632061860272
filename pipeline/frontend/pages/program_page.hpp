#pragma once
/// Shows a program as a page.

#include <string>

#include "core/pictures/page.hpp"
#include "pipeline/frontend/weights/program_graph.hpp"

namespace takt::frontend {

/// Largest program in a picture of its interactions; more edges make it unreadable.
constexpr std::size_t most_calls_in_interactions = 2000;

/// Shows the program's text next to its task graph, its procedures with their operations and works, which
/// calls exchange data, and the partitions of its arrays on `owners` owners.
[[nodiscard]] Page program_page(const std::string& title, const WeightedProgram& program,
                                std::size_t owners = 4);

}  // namespace takt::frontend
