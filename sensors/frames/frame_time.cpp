#include "sensors/frames/frame_time.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/error.hpp"

namespace takt::sensors {

bool is_in_time(std::string_view axis) {
  return axis == "time" || axis == "packet" || axis == "sample";
}

double sample_rate(const FrameType& type) {
  const Axis* const time = type.find_axis("time");
  if (time == nullptr) return 0;
  if (time->coordinates.size() >= 2 && time->coordinates.back() > time->coordinates.front())
    return static_cast<double>(time->size - 1) / (time->coordinates.back() - time->coordinates.front());
  return type.rate_hz * static_cast<double>(time->size);
}

bool is_broken(const FrameType& type) {
  return type.has_gaps && std::ranges::any_of(type.axes, [](const Axis& axis) {
           return is_in_time(axis.name) && axis.size > 1;
         });
}

void require_unbroken(const FrameType& type) {
  if (is_broken(type))
    throw ConfigError(fmt::format(
        "samples between the frames {} are missing (select along the time): expected contiguous frames",
        type.to_string()));
}

}  // namespace takt::sensors
