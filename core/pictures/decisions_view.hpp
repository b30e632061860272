#pragma once
/// The view of a scheduler's decisions in order.

#include <span>
#include <string_view>

#include "core/decision.hpp"
#include "core/graphs/task_graph.hpp"
#include "core/pictures/page.hpp"

namespace takt {

/// Returns a Gantt chart for stepping through the decisions: rows of processors, preceded by those of
/// clusters if there are any. A task is at the place of its latest decision. O(decisions log
/// decisions).
[[nodiscard]] View decisions_view(std::span<const Decision> decisions, const TaskGraph& graph,
                                  std::string_view unit = "ticks");

}  // namespace takt
