#pragma once
/// Sizes the queues of sources for pauses of the pipeline.

#include "pipeline/config/pipeline.hpp"
#include "pipeline/planning/run_plan.hpp"

namespace takt::pipeline {

/// Gives each source with a rate (its own, or the required one) a queue for 200 ms of frames, at most 128
/// MiB, unless the user has set its depth: other processes may use the cores that long, and a change of plan
/// (`--adapt`) takes some tens of ms. A queue is last in, first out, so that unused frames do not occupy
/// caches.
void deepen_queues(Pipeline& pipeline);

/// Deepens the queues for the infrequent frame on which a rank calls all stages downstream of a decimation:
/// twice the frames of that time, plus the usual depth. Stages that wait for the rank wait as long.
void deepen_queues(Pipeline& pipeline, const RunPlan& plan);

/// Stores the depth of each source's queue in the plan.
void note_queues(const Pipeline& pipeline, RunPlan& plan);

/// Adds a note with the depth required by each source whose queue is too short, by the user or at 128 MiB.
void note_short_queues(const Pipeline& pipeline, RunPlan& plan);

}  // namespace takt::pipeline
