#pragma once
/// The spacing of samples in time.

#include <optional>
#include <string>
#include <string_view>

#include "sensors/frames/frame.hpp"

namespace takt::sensors {

/// Reports whether indices of an axis of this name follow one another in time.
[[nodiscard]] bool is_in_time(std::string_view axis);

/// Returns the samples per second along the axis `time`: from its coordinates, or else from the frames' rate.
/// 0 if unknown.
[[nodiscard]] double sample_rate(const FrameType& type);

/// Reports whether samples are missing between the end of a frame and the start of the next. Frames of one
/// sample have no defined end.
[[nodiscard]] bool is_broken(const FrameType& type);

/// Throws ConfigError if is_broken: for kernels that need contiguous samples.
void require_unbroken(const FrameType& type);

}  // namespace takt::sensors
