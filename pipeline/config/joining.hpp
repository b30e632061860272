#pragma once
/// Determines the common frames of several sources in one pipeline.

#include "pipeline/config/draft.hpp"

namespace takt::pipeline {

/// Cuts the frames of several sources to one length, that of the longest ones; shorter frames are gathered.
/// Sets `output` of the sources, from `own_frames`, and the wait if the file does not. Reports frames without
/// a rate, lengths that are no whole multiple of samples, and waits longer than a source can keep its frames.
/// For a single source only the output is set.
void join_sources(std::vector<Draft>& drafts, const KernelRegistry& kernels, Joining& joining,
                  ErrorList& errors);

}  // namespace takt::pipeline
