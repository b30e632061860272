#pragma once
/// Checks that the disks have room for the output of a run.

#include <optional>

#include "pipeline/config/pipeline.hpp"
#include "pipeline/config/stream_limits.hpp"

namespace takt::pipeline {

/// Returns the bytes that a sink writes during such a run, from the size and rate of its input; nothing if
/// the length or the rate is unknown.
[[nodiscard]] std::optional<double> bytes_written(const Pipeline& pipeline, std::size_t sink,
                                                  const StreamLimits& length);

/// Adds an error for each file system without room for its sinks, at their paths. Files that will be replaced
/// count as free space.
void check_space(const Pipeline& pipeline, const StreamLimits& length, ErrorList& errors);

}  // namespace takt::pipeline
