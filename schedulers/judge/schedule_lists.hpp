#pragma once
/// The tasks and messages of a schedule as JSON lists. Schedules have millions of both; only a part of a long
/// list's text is in memory at a time.

#include <iosfwd>
#include <memory>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "core/graphs/task_graph.hpp"
#include "core/schedule.hpp"

namespace takt::schedulers {

/// Return `name processor start end` of each task, or `processors` for groups on moldable ones; and `from to
/// tasks bytes send_start recv_start` of each message. Several instances add `instance`. O(n log n).
[[nodiscard]] nlohmann::ordered_json tasks_json(const Schedule& schedule, const TaskGraph& graph);
[[nodiscard]] nlohmann::ordered_json messages_json(const Schedule& schedule, const TaskGraph& graph);

/// The same lists as text, for long lists: sorted by two threads, and formatted by two.
class ScheduleLists {
 public:
  /// Keeps references to both.
  ScheduleLists(const Schedule& schedule, const TaskGraph& graph);
  ~ScheduleLists();
  ScheduleLists(const ScheduleLists&) = delete;
  ScheduleLists& operator=(const ScheduleLists&) = delete;

  /// Append a list to a text whose last line it begins on, indented by two spaces, in the layout of
  /// json_text(). For a long list, the beginning of the text is written to `out` from time to time.
  void append_tasks(std::ostream& out, std::string& text) const;
  void append_messages(std::ostream& out, std::string& text) const;

 private:
  struct Entries;
  const Schedule& schedule_;
  const TaskGraph& graph_;
  std::unique_ptr<const Entries> entries_;
};

}  // namespace takt::schedulers
