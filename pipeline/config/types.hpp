#pragma once
/// Which frames run between the stages.

#include "pipeline/config/draft.hpp"

namespace takt::pipeline {

/// Makes each stage once, in the order of the drafts (topological), to see whether it takes its inputs and
/// what it gives; sets `output` and `stateless`. A task whose inputs do not give their frames together is an
/// error.
void infer_types(std::vector<Draft>& drafts, const KernelRegistry& kernels, ErrorList& errors);

}  // namespace takt::pipeline
