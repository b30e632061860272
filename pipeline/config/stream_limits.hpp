#pragma once
/// Limits of the length of an endless stream.

#include <cstdint>
#include <optional>

#include "core/units.hpp"

namespace takt::pipeline {

/// The stream ends after this many frames, or this time after the first one.
struct StreamLimits {
  std::optional<std::uint64_t> frames;
  std::optional<Time> duration;
};

}  // namespace takt::pipeline
