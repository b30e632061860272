#pragma once
/// Which frames run between the stages.

#include "pipeline/config/draft.hpp"

namespace takt::pipeline {

/// Makes each stage once, in the order of the drafts (topological), to see whether it takes its inputs and
/// what it gives; sets `output` and `stateless`. A task whose inputs do not give their frames together is an
/// error. Sources are joined (joining.hpp) before anybody takes their frames.
void infer_types(std::vector<Draft>& drafts, const KernelRegistry& kernels, Joining& joining,
                 ErrorList& errors);

}  // namespace takt::pipeline
