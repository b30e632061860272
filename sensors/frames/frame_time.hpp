#pragma once
/// How far the samples of frames lie apart.

#include <optional>
#include <string>
#include <string_view>

#include "sensors/frames/frame.hpp"

namespace takt::sensors {

/// Whether indices of an axis of this name follow one another in time.
[[nodiscard]] bool is_in_time(std::string_view axis);

/// Samples a second along the axis `time`: by its coordinates, or by the frames' rate where there are none.
/// 0 when not known.
[[nodiscard]] double sample_rate(const FrameType& type);

/// Whether samples lie between the end of a frame and the beginning of the next one. Frames of one sample
/// have no end of their own.
[[nodiscard]] bool is_broken(const FrameType& type);

/// Throws ConfigError where is_broken: for whoever needs samples without end.
void require_unbroken(const FrameType& type);

}  // namespace takt::sensors
