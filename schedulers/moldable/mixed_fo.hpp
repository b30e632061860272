#pragma once
/// The highest frequency of a moldable graph with groups as stages (stage_plan.hpp).
///
/// Frames enter one period apart. Each stage begins with a frame when its inputs are redistributed to
/// whichever copy has it, and goes on without a pause; so every frame has the same timetable. A repetition
/// holds as many frames as the stage with the most copies, at most 64. Where stages of one processor are all
/// there is, nothing is copied, and data move as messages (task messages of logp/timing.hpp): optfo is made
/// for that.
///
/// Source: Subhlok and Vondran (PPoPP 1995). O(n^2 log^2 P) for each of about 40 periods.

#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

[[nodiscard]] Schedule mixed_fo(const TaskGraph& graph, const logp::Machine& machine, const Options& options);

}  // namespace takt::schedulers
