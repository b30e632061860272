#pragma once
/// A schedule drawn as a picture that needs nothing else.

#include <string>

#include "core/schedule.hpp"
#include "core/task_graph.hpp"

namespace takt {

/// Gantt chart as SVG: a row for each processor, a box for each operation with its name where there is room
/// (hover for times), pale where a processor is occupied but idle, a line for each message from the end of
/// its send to the start of its receive. Operations narrower than half a pixel are drawn together.
/// O(operations).
[[nodiscard]] std::string gantt_to_svg(const Schedule& schedule, const TaskGraph& graph);

}  // namespace takt
