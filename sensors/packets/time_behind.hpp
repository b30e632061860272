#pragma once
/// Moments that follow from numbers which any packet may tell.

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace takt::sensors {

/// So many seconds behind a moment, nanoseconds since 1970; centuries away where they are more than that.
[[nodiscard]] inline std::int64_t time_behind(std::int64_t utc_ns, double seconds) {
  constexpr double farthest_ns = 4e18;
  return utc_ns + std::llround(std::clamp(seconds * 1e9, -farthest_ns, farthest_ns));
}

}  // namespace takt::sensors
