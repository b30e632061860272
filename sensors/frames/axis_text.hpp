#pragma once
/// Parser of frame axes in the user's notation.

#include <string>

#include "sensors/frames/frame.hpp"

namespace takt::sensors {

/// Parses `time=1024` or `channel=64:100e6:1e3`: name, size, and optionally the first coordinate and the
/// step. Throws ConfigError, also for implausible sizes.
[[nodiscard]] Axis parse_axis(const std::string& text);

}  // namespace takt::sensors
