#pragma once
/// Checks that machines and schedules match a pipeline.

#include <string>

#include "core/schedule.hpp"
#include "logp/machine.hpp"
#include "pipeline/config/pipeline.hpp"

namespace takt::pipeline {

/// Throws ConfigError, at the place where the pipeline names its machine, unless its number of processors
/// equals the number of ranks.
void check_ranks(const Pipeline& pipeline, const logp::Machine& machine);

/// Throws ConfigError `FILE: ...` with the first mismatch: a task, a connection, a frame size, a task's
/// state, the number of ranks; or the finding of the checker on the schedule's machine, or on the pipeline's
/// own if it names one.
void check_fit(const Pipeline& pipeline, const TaskGraph& graph, const logp::Machine& machine,
               const Schedule& schedule, const std::string& file);

}  // namespace takt::pipeline
