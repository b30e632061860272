#pragma once
/// Several sources in one pipeline: which frames they have in common.

#include "pipeline/config/draft.hpp"

namespace takt::pipeline {

/// Cuts the frames of several sources to one length: that of the longest ones, of which others are gathered.
/// Sets `output` of the sources, from `own_frames`, and the wait where the file leaves it open. Frames
/// without a rate, or of which no whole number of samples fits the longest ones, are errors, and a wait
/// longer than a source can keep its frames. With one source, nothing but the outputs changes.
void join_sources(std::vector<Draft>& drafts, const KernelRegistry& kernels, Joining& joining,
                  ErrorList& errors);

}  // namespace takt::pipeline
