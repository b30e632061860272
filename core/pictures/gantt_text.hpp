#pragma once
/// A schedule drawn in letters, for terminals.

#include <cstddef>
#include <string>

#include "core/graphs/task_graph.hpp"
#include "core/schedule.hpp"

namespace takt {

/// A row for each processor that has operations, in lines of at most `width` letters. A task is `[name]`, or
/// `#` where there is no room; `>` and `<` are sends and receives, `.` is blank time between a processor's
/// first and last operation. Short schedules get whole letters a tick; in long ones an operation has at least
/// one letter, and a later one may hide an earlier one. Below are the times and what the signs mean.
/// O(operations
/// + width * processors).
[[nodiscard]] std::string draw_gantt(const Schedule& schedule, const TaskGraph& graph, std::size_t width);

}  // namespace takt
