#pragma once
/// Figures of each of several streams in their common timetable.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/period.hpp"
#include "core/schedule.hpp"
#include "core/stream_requirement.hpp"
#include "logp/finding.hpp"
#include "logp/schedule_file.hpp"

namespace takt::logp {

struct StreamFigures {
  std::string name;
  /// From the file.
  std::optional<StreamRequirement> required;
  /// Frames in a hyperperiod of the timetable.
  std::uint32_t frames = 0;
  /// Mean time between its frames: cycle / frames.
  Period period;
  /// The longest time from a frame's first operation to its last one.
  Time latency{0};
  /// The processors of its tasks, in ascending order.
  std::vector<ProcessorId> processors;
  /// The least free share of the hyperperiod over its processors.
  double slack = 1;

  /// Returns whether it gets its required rate.
  [[nodiscard]] bool holds() const;
};

/// Returns figures in the order of the streams' first tasks; empty unless the schedule is one of streams: one
/// iteration in which every task is named `stream#frame/task`. O(tasks + operations log operations).
[[nodiscard]] std::vector<StreamFigures> stream_figures(const ScheduleFile& file);

/// Returns a finding (rule `stream-rate`) for each stream whose timetable rate is below the required one.
[[nodiscard]] std::vector<Finding> check_stream_rates(const ScheduleFile& file);

}  // namespace takt::logp
