#pragma once
/// Infers the types of frames between the stages.

#include "pipeline/config/draft.hpp"

namespace takt::pipeline {

/// Makes each stage once, in the order of the drafts (topological), to check its inputs and determine its
/// output; sets `output` and `stateless`. Reports tasks whose inputs have different rates. Sources are joined
/// (joining.hpp) before their consumers are checked.
void infer_types(std::vector<Draft>& drafts, const KernelRegistry& kernels, Joining& joining,
                 ErrorList& errors);

}  // namespace takt::pipeline
