#pragma once
/// What a schedule does, task by task and message by message, as lists in JSON. Schedules have millions of
/// both; of a long list's text no more than a part is in memory at once.

#include <iosfwd>
#include <memory>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "core/graphs/task_graph.hpp"
#include "core/schedule.hpp"

namespace takt::schedulers {

/// `name processor start end` of each task, or `processors` where groups work on moldable ones; and `from to
/// tasks bytes send_start recv_start` of each message. Several instances add `instance`. O(n log n).
[[nodiscard]] nlohmann::ordered_json tasks_json(const Schedule& schedule, const TaskGraph& graph);
[[nodiscard]] nlohmann::ordered_json messages_json(const Schedule& schedule, const TaskGraph& graph);

/// The same lists as text, where they are long: sorted by two threads, and formatted by two.
class ScheduleLists {
 public:
  /// Both are kept by reference.
  ScheduleLists(const Schedule& schedule, const TaskGraph& graph);
  ~ScheduleLists();
  ScheduleLists(const ScheduleLists&) = delete;
  ScheduleLists& operator=(const ScheduleLists&) = delete;

  /// Append a list to a text whose last line it begins on, indented by two letters, in the layout of
  /// json_text(). Where it is long, `out` takes the text from time to time, from its beginning on.
  void append_tasks(std::ostream& out, std::string& text) const;
  void append_messages(std::ostream& out, std::string& text) const;

 private:
  struct Entries;
  const Schedule& schedule_;
  const TaskGraph& graph_;
  std::unique_ptr<const Entries> entries_;
};

}  // namespace takt::schedulers
