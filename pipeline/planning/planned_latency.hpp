#pragma once
/// How long a frame takes by the plan.

#include "core/schedule.hpp"
#include "logp/machine.hpp"
#include "pipeline/config/pipeline.hpp"

namespace takt::pipeline {

/// From the start of a frame's source to its end in a sink, where it waits for no other frame: the median
/// over the sinks and the frames of a repetition, each counted as often as its sink gets one. 0 for a
/// schedule without sinks. O(operations).
[[nodiscard]] Time planned_latency(const Pipeline& pipeline, const Schedule& schedule);

/// The same where the source gives frames at its own rate, more slowly than the schedule takes them: the
/// median over the frames of a simulation (logp/simulation.hpp). The frames of a repetition that holds
/// several do not come together then, and a processor waits for one in its order while another one has come.
/// That of `planned_latency` where a repetition holds one frame, the source keeps no rate, or is faster, and
/// with groups of processors. O(operations).
[[nodiscard]] Time paced_latency(const Pipeline& pipeline, const TaskGraph& graph,
                                 const logp::Machine& machine, const Schedule& schedule);

}  // namespace takt::pipeline
