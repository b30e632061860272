#pragma once
/// Computes the execution of a plan, and which ranks share memory.

#include "core/schedule.hpp"
#include "logp/machine.hpp"
#include "pipeline/config/pipeline.hpp"
#include "pipeline/program/execution.hpp"

namespace takt::pipeline {

/// Returns the execution of a schedule on a machine, whose nodes define which ranks share memory. Throws what
/// execution_of throws if a run cannot implement the schedule.
[[nodiscard]] Execution planned_execution(const Pipeline& pipeline, const TaskGraph& graph,
                                          const logp::Machine& machine, const Schedule& schedule);

/// Returns true if all ranks share memory: they then read a source's frames in place, if it lends several.
[[nodiscard]] bool share_memory(const Pipeline& pipeline, const logp::Machine& machine);

}  // namespace takt::pipeline
