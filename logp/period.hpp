#pragma once
/// The least repetition of a schedule whose allocation and orders are fixed.
///
/// The start times s of the operations and the repetition time T obey a system of difference constraints:
///
///   s_j >= s_i + length_i          for successive operations i, j of a processor
///   s_j >= s_i + gap_i             for successive sends, or receives, of a processor
///   s_j >= s_i + o + L             for the send i and the receive j of a message
///   s_first + T >= s_last + length_last, and the same with the gaps, for each processor
///
/// and the passages of messages over links obey the same for each link, in a given order.
///
/// For a given T these have a solution if and only if no circle of constraints is positive, and the solution
/// with the least start times is that of the longest paths. T is then the largest mean weight of a circle, by
/// its number of steps into the next repetition (Dantzig, Blattner, Rao 1966; Karp 1978; Reiter 1968 for
/// schedules).

#include <optional>

#include "core/schedule.hpp"
#include "logp/machine.hpp"

namespace takt::logp {

/// The same operations in the same orders, with start times that repeat as soon as possible,
/// and among those with the smallest makespan. Never longer than the given one, which must be valid.
///
/// Links carry their messages in the given schedule's order, for which two are tried: those of one repetition
/// before those of the next one; and the order when the given schedule repeats, where a message of one
/// repetition can come after one of a later repetition.
///
/// Where that would exceed the network's capacity of ceil(L / g) messages, messages additionally enter the
/// network in a fixed order, for which two are tried: that of the given schedule, those of one repetition
/// before those of the next one; and the one in which they would enter it without a limit, where processors
/// far apart in the pipeline work on different repetitions at the same time. The repetition is then the least
/// one under that order. O(R n log(T)) for n operations and R rounds, R at most the number of processors + 1
/// and usually 2 or 3.
[[nodiscard]] Schedule with_least_repetition(const Machine& machine, Schedule schedule);

/// The same operations in the same orders, with the start times that repeat within `repetition` and have the
/// least makespan among those; nothing when these orders take longer. Where the network's capacity is
/// limited, for messages that enter it in the given schedule's order.
[[nodiscard]] std::optional<Schedule> with_repetition(const Machine& machine, const Schedule& schedule,
                                                      Time repetition);

/// Its repetition time.
[[nodiscard]] Time least_repetition(const Machine& machine, const Schedule& schedule);

}  // namespace takt::logp
