#pragma once
/// Reasons for the refusal of a stream next to running ones.

#include <cstdint>
#include <string>

#include "schedulers/streams/cyclic_timetable.hpp"
#include "schedulers/streams/stream.hpp"

namespace takt::schedulers {

/// Returns the first obstacle of these, with its figures: a task longer than the time between frames; the
/// lower bound of the period on the empty machine; the free time of all processors; a task for which no
/// processor has the time; the best cut's pieces; the intervals of free time. Names the streams that occupy
/// the missing time. For `frames` frames per hyperperiod.
[[nodiscard]] std::string explain_refusal(const Stream& stream, std::uint32_t frames,
                                          const CyclicTimetable& timetable);

}  // namespace takt::schedulers
