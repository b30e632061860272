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
/// Start times are not written: LogGOPSim starts everything as early as it can. A comment gives the
/// parameters L, o, g of a constant machine (G = O = 0, and S so large that every message is eager); costs
/// that depend on size or level have no exact counterpart there, and the comment says so.
[[nodiscard]] std::string to_goal(const Machine& machine, const Schedule& schedule);

}  // namespace takt::logp
