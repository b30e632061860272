#pragma once
/// Shows a task graph as a page.

#include <string>
#include <string_view>

#include "core/graphs/task_graph.hpp"
#include "core/pictures/page.hpp"

namespace takt::pipeline {

/// Largest graph in a force-directed picture; more edges make it unreadable.
constexpr std::size_t most_interactions = 2000;

/// Shows the graph and, if it has at most most_interactions tasks, its interactions. Costs have this unit:
/// "ns" or empty for ticks.
[[nodiscard]] Page graph_page(const std::string& title, const TaskGraph& graph, std::string_view unit);

}  // namespace takt::pipeline
