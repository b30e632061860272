#pragma once
/// What ranks will carry out, and what they allocate for frames.

#include <vector>

#include "core/schedule.hpp"
#include "logp/machine.hpp"
#include "pipeline/config/pipeline.hpp"
#include "pipeline/program/execution.hpp"

namespace takt::pipeline {

/// The execution of a schedule on a machine, whose nodes say which ranks share memory. Throws what
/// execution_of throws where a run cannot do what the schedule says.
[[nodiscard]] Execution planned_execution(const Pipeline& pipeline, const TaskGraph& graph,
                                          const logp::Machine& machine, const Schedule& schedule);

/// By rank, as memory_of (program/layout.hpp) counts it.
[[nodiscard]] std::vector<Bytes> memory_of_ranks(const Pipeline& pipeline, const TaskGraph& graph,
                                                 const logp::Machine& machine, const Schedule& schedule);

/// Whether all ranks share memory: they then read a source's frames where they lie, if it lends several.
[[nodiscard]] bool share_memory(const Pipeline& pipeline, const logp::Machine& machine);

}  // namespace takt::pipeline
