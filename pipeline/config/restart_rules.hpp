#pragma once
/// Which pipelines can be started again, and what they do without for that.

#include "pipeline/config/pipeline.hpp"

namespace takt::pipeline {

/// Of a pipeline that may be started again: says all that stands against it, where it is written. Makes each
/// stage once.
void check_restart(const Pipeline& pipeline, ErrorList& errors);

/// Leaves kernels that keep something whole: neither in tiles nor in groups of ranks, whose parts would have
/// to be the same after a restart. One rank runs the source.
void keep_whole(Pipeline& pipeline);

}  // namespace takt::pipeline
