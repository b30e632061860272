#pragma once
/// Resolves the connections between stages.

#include "pipeline/config/draft.hpp"

namespace takt::pipeline {

/// Looks up the names of the inputs. Adds a port for each output of a task whose further outputs are used
/// (several_outputs.hpp). Sorts the stages topologically, as close to their order as possible. Reports
/// unknown inputs, cycles and unused outputs. Then all known inputs precede their stage, except in (broken)
/// cycles.
void connect(std::vector<Draft>& drafts, const KernelRegistry& kernels, ErrorList& errors);

}  // namespace takt::pipeline
