#pragma once
/// When a stream is over that does not end by itself.

#include <cstdint>
#include <optional>

#include "core/units.hpp"

namespace takt::pipeline {

/// After this many frames, or this long after the first one.
struct StreamLimits {
  std::optional<std::uint64_t> frames;
  std::optional<Time> duration;
};

}  // namespace takt::pipeline
