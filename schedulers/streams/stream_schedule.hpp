#pragma once
/// What one of several streams does, as a schedule of its own.

#include <vector>

#include "schedulers/streams/cyclic_timetable.hpp"
#include "schedulers/streams/stream.hpp"

namespace takt::schedulers {

/// A stream's part of a timetable.
struct StreamSchedule {
  /// Of the whole machine, in ascending order.
  std::vector<ProcessorId> processors;
  /// Those processors, without the network: whose links are whose is settled by the timetable.
  logp::Machine machine;
  /// Of the stream's own graph on that machine, as early as the model allows: what it does where nobody else
  /// is there.
  Schedule schedule;
  /// By processor: the time of a frame, and the share of the cycle that its frames have.
  std::vector<Time> work;
  std::vector<double> shares;
};

/// Takes a stream that was admitted out of its timetable: the same tasks on the same processors in the same
/// order. Throws ConfigError where its frames are on different processors (streams without state only), which
/// one schedule cannot say. O(operations).
[[nodiscard]] StreamSchedule schedule_of(const Stream& stream, const CyclicTimetable& timetable);

}  // namespace takt::schedulers
