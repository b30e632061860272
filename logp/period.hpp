#pragma once
/// The least period of a schedule with fixed allocation and orders.
///
/// The start times s of the operations and the period T satisfy a system of difference constraints:
///
///   s_j >= s_i + length_i          for successive operations i, j of a processor
///   s_j >= s_i + gap_i             for successive sends, or receives, of a processor
///   s_j >= s_i + o + L             for the send i and the receive j of a message
///   s_first + T >= s_last + length_last, and the same with the gaps, for each processor
///
/// and the transfers of messages over links satisfy the same for each link, in a given order.
///
/// For a given T these have a solution if and only if no cycle of constraints is positive, and the solution
/// with the least start times is that of the longest paths. T is then the largest mean weight of a cycle, by
/// its number of steps into the next iteration (Dantzig, Blattner, Rao 1966; Karp 1978; Reiter 1968 for
/// schedules).

#include <optional>

#include "core/schedule.hpp"
#include "logp/machine.hpp"

namespace takt::logp {

/// Returns the same operations in the same orders, with start times of the least period, and among
/// those with the smallest makespan. Never longer than the given schedule, which must be valid. A pipelined
/// schedule is returned as it is.
///
/// Links carry their messages in the given schedule's order. Two orders are tried: iteration after
/// iteration; and the order of the given schedule under repetition, where a message of one iteration
/// can follow one of a later iteration.
///
/// If that would exceed the network's capacity of ceil(L / g) messages, messages also enter the
/// network in a fixed order. Two are tried: that of the given schedule, iteration after iteration; and
/// the order in which they would enter it without a limit, where distant processors of the pipeline
/// work on different iterations at the same time. The period is then the least one under that order.
/// O(R n log(T)) for n operations and R passes, R at most the number of processors + 1 and usually 2
/// or 3.
[[nodiscard]] Schedule with_least_repetition(const Machine& machine, Schedule schedule);

/// Returns the same operations in the same orders, with the start times of least makespan that repeat within
/// `repetition`; nothing if these orders take longer. A pipelined schedule, or one on links, keeps its times.
/// With a limited network capacity, messages enter the network in the given schedule's order.
[[nodiscard]] std::optional<Schedule> with_repetition(const Machine& machine, const Schedule& schedule,
                                                      Time repetition);

/// Returns the same operations in the same orders, with start times of the least period in which the states
/// of Schedule::travelling travel: each instance of such a task begins after the one before has ended. The
/// given times need not allow that. Nothing if the orders do not, or if the schedule is pipelined.
[[nodiscard]] std::optional<Schedule> with_travelling_states(const Machine& machine,
                                                             const Schedule& schedule);

/// Returns the schedule's least period.
[[nodiscard]] Time least_repetition(const Machine& machine, const Schedule& schedule);

}  // namespace takt::logp
