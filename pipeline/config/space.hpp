#pragma once
/// Whether there is room for what a run writes.

#include <optional>

#include "pipeline/config/pipeline.hpp"
#include "pipeline/config/stream_limits.hpp"

namespace takt::pipeline {

/// Bytes that a sink will have written at the end of such a run, by its input's size and rate; nothing where
/// the length or the rate is not known.
[[nodiscard]] std::optional<double> bytes_written(const Pipeline& pipeline, std::size_t sink,
                                                  const StreamLimits& length);

/// Adds an error for each file system without room for what the sinks on it will write, at their paths. Files
/// that are replaced count as room.
void check_space(const Pipeline& pipeline, const StreamLimits& length, ErrorList& errors);

}  // namespace takt::pipeline
