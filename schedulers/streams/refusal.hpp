#pragma once
/// Why a stream has no place beside others.

#include <cstdint>
#include <string>

#include "schedulers/streams/cyclic_timetable.hpp"
#include "schedulers/streams/stream.hpp"

namespace takt::schedulers {

/// The first of these that is in the way, with its figures: a task longer than the time between frames; the
/// lower bound of the period on the empty machine; the free time of all processors; a task for which no
/// processor has the time; the best cut's pieces; the places in which free time lies. Names the streams that
/// have the time that is missing. For `frames` frames a cycle.
[[nodiscard]] std::string explain_refusal(const Stream& stream, std::uint32_t frames,
                                          const CyclicTimetable& timetable);

}  // namespace takt::schedulers
