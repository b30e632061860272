#pragma once
/// Room for what comes while a run changes over to another plan.

#include "pipeline/config/pipeline.hpp"

namespace takt::pipeline {

/// Gives each source that keeps a rate (its own, or else the required one) a queue for the frames of 200 ms,
/// of 128 MiB at most, unless the user has said how deep it is: a change of plan (`--adapt`) ends when the
/// pipeline has run dry and the new program's memory is there, some ms to some tens of them, in which a queue
/// of eight frames overflows. A queue is used last in, first out: what is never needed lies in no cache.
void deepen_queues(Pipeline& pipeline);

}  // namespace takt::pipeline
