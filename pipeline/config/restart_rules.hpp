#pragma once
/// Rules for pipelines that can be restarted.

#include "pipeline/config/pipeline.hpp"

namespace takt::pipeline {

/// Reports everything that prevents restarts of a pipeline, at its place. Makes each stage
/// once.
void check_restart(const Pipeline& pipeline, ErrorList& errors);

/// Excludes stateful kernels from tiles and groups of ranks, whose parts would have to be the same after a
/// restart, and keeps the source on one rank.
void keep_whole(Pipeline& pipeline);

}  // namespace takt::pipeline
