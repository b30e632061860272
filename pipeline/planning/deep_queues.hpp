#pragma once
/// Room for what comes while a pipeline takes no frames.

#include "pipeline/config/pipeline.hpp"
#include "pipeline/planning/run_plan.hpp"

namespace takt::pipeline {

/// Gives each source that keeps a rate (its own, or else the required one) a queue for the frames of 200 ms,
/// of 128 MiB at most, unless the user has set its depth: other processes may have the cores for so long, and
/// a change of plan (`--adapt`) takes some tens of ms. A queue is used last in, first out: what is never
/// needed lies in no cache.
void deepen_queues(Pipeline& pipeline);

/// The same, for what comes while a rank works at the one frame in many for which all of its stages behind a
/// decimation are called: twice as much, beside the usual depth. All that wait for the rank wait as long.
void deepen_queues(Pipeline& pipeline, const RunPlan& plan);

/// Puts the depth of each source's queue into the plan.
void note_queues(const Pipeline& pipeline, RunPlan& plan);

/// Says of each source which queue would hold that, where the user's is too short for it, or 128 MiB are.
void note_short_queues(const Pipeline& pipeline, RunPlan& plan);

}  // namespace takt::pipeline
