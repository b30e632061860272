#pragma once
/// Which stage takes whose output.

#include "pipeline/config/draft.hpp"

namespace takt::pipeline {

/// Looks up the names of the inputs, adds a port for each output of a task with several of which one beside
/// the first is taken (several_outputs.hpp), puts the stages in topological order (as near to theirs as it
/// can be), and reports unknown inputs, cycles and stages whose output nobody takes. Afterwards inputs that
/// are known come before the stage, but for those of a cycle, which are broken.
void connect(std::vector<Draft>& drafts, const KernelRegistry& kernels, ErrorList& errors);

}  // namespace takt::pipeline
