#pragma once
/// Names of tasks in a timetable of several streams.

#include <cstdint>
#include <optional>
#include <string_view>

namespace takt {

/// `stream#frame/task`, taken apart; a task may contain any of these letters, a stream none.
struct StreamTaskName {
  std::string_view stream, task;
  std::uint32_t frame = 0;
};

/// Nothing where the name is that of no stream's task. The views live as long as the name.
[[nodiscard]] std::optional<StreamTaskName> stream_task_name(std::string_view name);

}  // namespace takt
