#pragma once
/// Schedules for LogGOPSim, to verify takt's times with an independent simulator.
///
/// GOAL (Hoefler, Siebert, Lumsdaine, "Group operation assembly language", 2009) is the input of LogGOPSim
/// (Hoefler, Schneider, Lumsdaine, "LogGOPSim: simulating large-scale applications in the LogGOPS model",
/// 2010).

#include <string>

#include "core/schedule.hpp"
#include "logp/machine.hpp"

namespace takt::logp {

/// Returns one iteration of the schedule as GOAL text:
///
/// | takt | GOAL |
/// |---|---|
/// | processor p | rank p |
/// | operation i of a processor | label l(i+1), which requires the previous label |
/// | computation of t ticks | `calc t` (nanoseconds) |
/// | send of a message | `send SIZEb to RANK tag T` |
/// | receive | `recv SIZEb from RANK tag T`, tag T = messages * instance + message |
///
/// All numbers are integers, like LogGOPSim's: ticks are its nanoseconds, and sizes, which cost nothing
/// there with G = O = 0, are units of data. Start times are not written: LogGOPSim starts each operation
/// once, as early as possible. A comment lists the parameters L, o, g of a constant machine, with an S so
/// large that every message is eager. Costs that depend on size, level, pair or direction, links, and a
/// negative latency have no exact counterpart there, which the comment mentions.
///
/// Differences of LogGOPSim:
///
/// * It has no capacity of ceil(L / g): where that is reached, it can be faster.
/// * A message uses its receiver's o as soon as it has arrived and the processor is free, although other
///   operations may precede its receive; the receive itself is then free. With o = 0 times agree. With o > 0
///   the work of each processor is the same, in another order if a message arrives before its receive is
///   due.
[[nodiscard]] std::string to_goal(const Machine& machine, const Schedule& schedule);

}  // namespace takt::logp
