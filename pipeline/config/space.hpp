#pragma once
/// Whether there is room for what a run writes.

#include <cstdint>
#include <optional>

#include "pipeline/config/pipeline.hpp"

namespace takt::pipeline {

/// What a run is to stop after, whichever comes first.
struct RunLength {
  std::optional<std::uint64_t> frames;
  std::optional<Time> duration;
};

/// Bytes that a sink will have written at the end of such a run, by its input's size and rate; nothing where
/// the length or the rate is not known.
[[nodiscard]] std::optional<double> bytes_written(const Pipeline& pipeline, std::size_t sink,
                                                  const RunLength& length);

/// Adds an error for each file system without room for what the sinks on it will write, at their paths. Files
/// that are replaced count as room.
void check_space(const Pipeline& pipeline, const RunLength& length, ErrorList& errors);

}  // namespace takt::pipeline
