#pragma once
/// Predicts the latency of frames from a plan.

#include <vector>

#include "core/schedule.hpp"
#include "logp/machine.hpp"
#include "pipeline/config/pipeline.hpp"
#include "pipeline/planning/run_plan.hpp"

namespace takt::pipeline {

/// Returns the latency of each sink, by stage: from the start of a frame's first source to the frame's end at
/// the sink, without waits for other frames; the median over the frames of an iteration. 0 for other stages,
/// and for sinks that are not in the schedule. O(operations).
[[nodiscard]] std::vector<Time> planned_latencies(const Pipeline& pipeline, const Schedule& schedule);

/// Returns the latencies for a source whose own rate is below that of the schedule. The frames of one
/// iteration then do not arrive together, and a processor waits for one in its order while another has
/// arrived. The result is the larger of planned_latencies and the median of a simulation
/// (logp/simulation.hpp). Equals planned_latencies for iterations of one frame, for sources that are faster
/// or without a rate, and for groups of processors. O(operations).
[[nodiscard]] std::vector<Time> paced_latencies(const Pipeline& pipeline, const TaskGraph& graph,
                                                const logp::Machine& machine, const Schedule& schedule);

/// Adds to the latency of each sink the difference between a whole call and its mean over frames, for each
/// decimating stage on the path: a frame that reaches the sink has triggered that call.
void count_whole_calls(RunPlan& summary);

}  // namespace takt::pipeline
