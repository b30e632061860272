#pragma once
/// The view of how a schedule came about.

#include <span>
#include <string_view>

#include "core/decision.hpp"
#include "core/graphs/task_graph.hpp"
#include "core/pictures/page.hpp"

namespace takt {

/// A Gantt chart to be stepped through in the order of the decisions: rows of processors, above them those of
/// clusters where there are some. A task stands where the last decision so far has put it.
/// O(decisions log decisions).
[[nodiscard]] View decisions_view(std::span<const Decision> decisions, const TaskGraph& graph,
                                  std::string_view unit = "ticks");

}  // namespace takt
