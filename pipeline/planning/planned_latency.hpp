#pragma once
/// How long a frame takes by the plan.

#include <vector>

#include "core/schedule.hpp"
#include "logp/machine.hpp"
#include "pipeline/config/pipeline.hpp"
#include "pipeline/planning/run_plan.hpp"

namespace takt::pipeline {

/// Of each sink, by stage: from the start of a frame's source (the first of those that the sink descends
/// from) to the frame's end there, where it waits for no other frame; the median over the frames of a
/// repetition. 0 for other stages, and for sinks that the schedule does not have. O(operations).
[[nodiscard]] std::vector<Time> planned_latencies(const Pipeline& pipeline, const Schedule& schedule);

/// The same where the source gives frames at its own rate, more slowly than the schedule takes them: those of
/// a repetition that holds several do not come together then, and a processor waits for one in its order
/// while another one has come. What the median frame takes to each sink with that, in a simulation
/// (logp/simulation.hpp), where that is longer. Those of `planned_latencies` where a repetition holds one
/// frame, the source keeps no rate, or is faster, and with groups of processors. O(operations).
[[nodiscard]] std::vector<Time> paced_latencies(const Pipeline& pipeline, const TaskGraph& graph,
                                                const logp::Machine& machine, const Schedule& schedule);

/// Adds to the latency of each sink what a whole call takes more than its mean over frames, at each stage on
/// the way that gives an output for few of its inputs: a frame that comes out has met that call.
void count_whole_calls(RunPlan& summary);

}  // namespace takt::pipeline
