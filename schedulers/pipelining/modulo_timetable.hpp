#pragma once
/// Pipelined timetables of an allocation: modulo scheduling.
///
/// In a pipelined schedule an operation may start any number of iterations after the operations that it waits
/// for, so that data only delay frames and never limit the period. Every order of the operations of a
/// processor then repeats with its load, the sum of their times, and the period of an allocation is the
/// largest load of a processor or link, unless gaps, circuits or the network's capacity leave time unused.

#include <cstdint>
#include <optional>

#include "core/schedule.hpp"
#include "schedulers/pipelining/flow.hpp"

namespace takt::schedulers {

/// Returns a timetable with this repetition; nothing if none was found.
///
/// Places operation by operation as soon as its inputs are there and its processor is free modulo the
/// repetition (B. R. Rau, "Iterative modulo scheduling", MICRO 27, 1994), in two orders: by the time of the
/// inputs, and by the longest path to the end of the frame. A start is only accepted if the remaining
/// operations fit into the remaining gaps, so nothing is ever moved. If that fails, the operations of each
/// processor are packed one after the other, which always has room for the load if there are no gaps, and
/// only their frame offsets follow from the data: the longest path of whole iterations (retiming: C. E.
/// Leiserson, J. B. Saxe, "Retiming synchronous circuitry", Algorithmica 6, 1991). The shortest latency
/// counts.
///
/// The schedule is not pipelined if it repeats without that. O(n^2) placements for n operations of a
/// processor, with O(n^2) each.
[[nodiscard]] std::optional<Schedule> modulo_timetable(const logp::Machine& machine, const Flow& flow,
                                                       Time repetition);

/// Returns the timetable with the least repetition found from `at_least` on and below `below`. Each placement
/// subtracts the pairs of operations of a processor, and of transfers of a link, from `pairs`; ends when that
/// is 0.
[[nodiscard]] std::optional<Schedule> least_modulo_timetable(const logp::Machine& machine, const Flow& flow,
                                                             Time at_least, Time below, std::uint64_t& pairs);

}  // namespace takt::schedulers
