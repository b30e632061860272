#pragma once
/// Whether machines and schedules are made for a pipeline.

#include <string>

#include "core/schedule.hpp"
#include "logp/machine.hpp"
#include "pipeline/config/pipeline.hpp"

namespace takt::pipeline {

/// Throws ConfigError, at the place where the pipeline names its machine, unless that has as many processors
/// as there are ranks.
void check_ranks(const Pipeline& pipeline, const logp::Machine& machine);

/// Throws ConfigError `FILE: ...` with the first thing that does not fit: a task, a connection, a frame's
/// size, a task's state, the number of ranks; or what the checker finds on the schedule's machine, or on the
/// pipeline's own where it names one.
void check_fit(const Pipeline& pipeline, const TaskGraph& graph, const logp::Machine& machine,
               const Schedule& schedule, const std::string& file);

}  // namespace takt::pipeline
