#pragma once
/// Views of schedules: Gantt charts of one or several, and the occupancy of processors.

#include <span>
#include <string>
#include <string_view>

#include "core/graphs/task_graph.hpp"
#include "core/network.hpp"
#include "core/pictures/page.hpp"
#include "core/schedule.hpp"

namespace takt {

/// A schedule to draw; the objects that it points to must outlive it.
struct ScheduleToView {
  std::string name;
  const Schedule* schedule = nullptr;
  const TaskGraph* graph = nullptr;
  /// For the rows of links.
  const Network* network = nullptr;
};

/// Returns `ns`, which is displayed in us, ms and s, if a schedule lasts 10,000 ticks or more; otherwise
/// `ticks`: abstract examples.
[[nodiscard]] std::string_view time_unit(std::span<const ScheduleToView> schedules);

/// Returns a Gantt chart of the schedules above one another, on one time axis: rows of processors, those
/// of devices, then those of links in use. Tasks with equal names are one; each stream (`stream#frame/task`)
/// has a colour. Of a pipelined schedule one iteration, whose boxes have the frame's distance from the
/// iteration's newest frame. O(operations log operations).
[[nodiscard]] View gantt_view(std::span<const ScheduleToView> schedules, std::string_view unit = "ticks");

/// Returns a table with a row for every busy processor: its first start, its last end, and its times by kind;
/// then one for every device, with its load.
[[nodiscard]] View occupancy_view(std::span<const ScheduleToView> schedules, std::string_view unit = "ticks");

/// Returns `P3, P5-P7` for processors without operations.
[[nodiscard]] std::string idle_processors(const Schedule& schedule);

/// For a schedule whose tasks run in groups (core/graphs/task_groups.hpp): returns the distribution of each
/// task's output over the processors, block by block.
[[nodiscard]] View partition_view(const ScheduleToView& schedule, std::string_view unit = "ticks");

/// Returns all operations as CSV, with a header: `row,kind,subject,instance,start,end`.
[[nodiscard]] std::string schedule_to_csv(const ScheduleToView& schedule);

}  // namespace takt
