#pragma once
/// Axes of frames as users write them.

#include <string>

#include "sensors/frames/frame.hpp"

namespace takt::sensors {

/// `time=1024` or `channel=64:100e6:1e3`: name, size, and perhaps the first coordinate and the step. Throws
/// ConfigError, also for sizes that can only be slips of the pen.
[[nodiscard]] Axis parse_axis(const std::string& text);

}  // namespace takt::sensors
