#pragma once
/// A single stream's part of a timetable as a schedule of its own.

#include <vector>

#include "schedulers/streams/cyclic_timetable.hpp"
#include "schedulers/streams/stream.hpp"

namespace takt::schedulers {

/// A stream's part of a timetable.
struct StreamSchedule {
  /// Processors of the whole machine, in ascending order.
  std::vector<ProcessorId> processors;
  /// Those processors, without the network: the timetable has settled the use of the links.
  logp::Machine machine;
  /// The stream's own graph on that machine, as early as the model allows:
  /// its timing without other streams.
  Schedule schedule;
  /// Per processor: the time of a frame, and the share of the cycle that its frames have.
  std::vector<Time> work;
  std::vector<double> shares;
};

/// Extracts an admitted stream from its timetable: the same tasks on the same processors in the same order.
/// Throws ConfigError if its frames are on different processors (streams without state only), which one
/// schedule cannot represent. O(operations).
[[nodiscard]] StreamSchedule schedule_of(const Stream& stream, const CyclicTimetable& timetable);

}  // namespace takt::schedulers
