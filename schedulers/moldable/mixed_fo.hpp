#pragma once
/// The highest frequency of a moldable graph with groups as stages (stage_plan.hpp).
///
/// Frames enter one period apart. Each stage starts a frame when its inputs are redistributed to the
/// slowest copy, and continues without a pause; so every frame has the same timetable. An iteration holds
/// as many frames as the stage with the most copies, at most 64. If all stages have one processor, there
/// are no copies, and messages move the data (task messages of logp/timing.hpp): optfo is made for that
/// case.
///
/// Source: Subhlok and Vondran (PPoPP 1995). O(n^2 log^2 P) for each of about 40 periods.

#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

[[nodiscard]] Schedule mixed_fo(const TaskGraph& graph, const logp::Machine& machine, const Options& options);

}  // namespace takt::schedulers
