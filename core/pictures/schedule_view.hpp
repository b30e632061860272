#pragma once
/// Views of schedules: Gantt charts of one or of several, and what each processor does.

#include <span>
#include <string>
#include <string_view>

#include "core/graphs/task_graph.hpp"
#include "core/network.hpp"
#include "core/pictures/page.hpp"
#include "core/schedule.hpp"

namespace takt {

/// A schedule to be drawn; what it points to must live as long as it is used.
struct ScheduleToView {
  std::string name;
  const Schedule* schedule = nullptr;
  const TaskGraph* graph = nullptr;
  /// For the rows of links.
  const Network* network = nullptr;
};

/// `ns`, so that times are told in us, ms and s, where a schedule lasts 10,000 ticks and more; otherwise
/// `ticks`: abstract examples.
[[nodiscard]] std::string_view time_unit(std::span<const ScheduleToView> schedules);

/// A Gantt chart of the schedules one above the other, on one axis of time: rows of processors, below them
/// those of the links that carry something. Tasks of one name are one; of streams (`stream#frame/task`) each
/// has a colour. O(operations log operations).
[[nodiscard]] View gantt_view(std::span<const ScheduleToView> schedules, std::string_view unit = "ticks");

/// A row for every processor that does something: from when to when, and for what.
[[nodiscard]] View occupancy_view(std::span<const ScheduleToView> schedules, std::string_view unit = "ticks");

/// `P3, P5-P7` do nothing.
[[nodiscard]] std::string idle_processors(const Schedule& schedule);

/// Of a schedule whose tasks work in groups (core/graphs/task_groups.hpp): which processors hold which part
/// of what a task makes, block by block.
[[nodiscard]] View partition_view(const ScheduleToView& schedule, std::string_view unit = "ticks");

/// All operations as CSV, with a header: `row,kind,subject,instance,start,end`.
[[nodiscard]] std::string schedule_to_csv(const ScheduleToView& schedule);

}  // namespace takt
