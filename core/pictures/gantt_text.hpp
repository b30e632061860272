#pragma once
/// Text rendering of schedules for terminals.

#include <cstddef>
#include <string>

#include "core/graphs/task_graph.hpp"
#include "core/schedule.hpp"

namespace takt {

/// Draws a row for each processor that has operations, and for each busy unit of a device, in lines of at
/// most `width` characters. A task is `[name]`, or `#` if the name does not fit; `>` and `<` are sends and
/// receives, `.` is blank time between a processor's first and last operation. Short schedules have a whole
/// number of characters per tick; in long ones an operation has at least one character, and a
/// later one may hide an earlier one. Below are the times and a legend. O(operations + width *
/// processors).
[[nodiscard]] std::string draw_gantt(const Schedule& schedule, const TaskGraph& graph, std::size_t width);

}  // namespace takt
