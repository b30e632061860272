#pragma once
/// Names of tasks in a timetable of several streams.

#include <cstdint>
#include <optional>
#include <string_view>

namespace takt {

/// The parts of `stream#frame/task`; a task may contain any of these characters, a stream none.
struct StreamTaskName {
  std::string_view stream, task;
  std::uint32_t frame = 0;
};

/// Returns nothing if the name does not belong to a stream's task. The views live as long as the name.
[[nodiscard]] std::optional<StreamTaskName> stream_task_name(std::string_view name);

}  // namespace takt
