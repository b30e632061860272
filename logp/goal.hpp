#pragma once
/// Schedules for LogGOPSim, so that others can check takt's times with a simulator of their own.
///
/// GOAL (Hoefler, Siebert, Lumsdaine, "Group operation assembly language", 2009) is the input of LogGOPSim
/// (Hoefler, Schneider, Lumsdaine, "LogGOPSim: simulating large-scale applications in the LogGOPS model",
/// 2010).

#include <string>

#include "core/schedule.hpp"
#include "logp/machine.hpp"

namespace takt::logp {

/// One repetition of the schedule as GOAL text:
///
/// | takt | GOAL |
/// |---|---|
/// | processor p | rank p |
/// | operation i of a processor | label l(i+1), which requires the label before it |
/// | computation of t ticks | `calc t` (nanoseconds) |
/// | send of a message | `send SIZEb to RANK tag T` |
/// | receive | `recv SIZEb from RANK tag T`, tag T = messages * instance + message |
///
/// All numbers are whole, as LogGOPSim's are: ticks are its nanoseconds, and sizes, which cost nothing there
/// with G = O = 0, are units of data. Start times are not written: LogGOPSim starts everything as early as it
/// can, once. A comment gives the parameters L, o, g of a constant machine, with an S so large that every
/// message is eager; costs that depend on size, level, pair or direction, links, and a latency below 0 have
/// no exact counterpart there, and the comment says so.
///
/// What LogGOPSim does otherwise:
///
/// * It knows no capacity of ceil(L / g): where that is reached, it can be faster.
/// * A message takes its receiver's o as soon as it has arrived and the processor is free, although other
///   operations may stand before its receive; the receive itself, when its turn comes, is then free. With
///   o = 0 times agree. With o > 0 the work of each processor is the same, in another order where a message
///   arrives before the turn of its receive.
[[nodiscard]] std::string to_goal(const Machine& machine, const Schedule& schedule);

}  // namespace takt::logp
