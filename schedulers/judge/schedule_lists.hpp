#pragma once
/// What a schedule does, task by task and message by message, as lists in JSON. Schedules have millions of
/// both; of a long list no more than an entry is in memory at once.

#include <iosfwd>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "core/schedule.hpp"
#include "core/task_graph.hpp"

namespace takt::schedulers {

/// `name processor start end` of each task, or `processors` where groups work on moldable ones; and `from to
/// tasks bytes send_start recv_start` of each message. Several instances add `instance`. O(n log n).
[[nodiscard]] nlohmann::ordered_json tasks_json(const Schedule& schedule, const TaskGraph& graph);
[[nodiscard]] nlohmann::ordered_json messages_json(const Schedule& schedule, const TaskGraph& graph);

/// Append the same lists to a text whose last line they begin on, indented by two letters, in the layout of
/// json_text(). Where they are long, `out` takes the text from time to time, from its beginning on.
void append_tasks(std::ostream& out, std::string& text, const Schedule& schedule, const TaskGraph& graph);
void append_messages(std::ostream& out, std::string& text, const Schedule& schedule, const TaskGraph& graph);

}  // namespace takt::schedulers
