#pragma once
/// What each of several streams on one machine gets from their common timetable.

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
  /// As the file notes it.
  std::optional<StreamRequirement> required;
  /// Frames in a cycle of the timetable.
  std::uint32_t frames = 0;
  /// Between its frames, on average: cycle / frames.
  Period period;
  /// The longest time from a frame's first operation to its last one.
  Time latency{0};
  /// Where its tasks are, in ascending order.
  std::vector<ProcessorId> processors;
  /// The free share of the cycle on that of its processors which has least.
  double slack = 1;

  /// Whether it is given the rate that it was asked for.
  [[nodiscard]] bool holds() const;
};

/// In the order of their first tasks; none where the schedule is not one of streams: one repetition in which
/// every task is named `stream#frame/task`. O(tasks + operations log operations).
[[nodiscard]] std::vector<StreamFigures> stream_figures(const ScheduleFile& file);

/// A finding (rule `stream-rate`) for each stream to which the timetable gives less than the file requires.
[[nodiscard]] std::vector<Finding> check_stream_rates(const ScheduleFile& file);

}  // namespace takt::logp
