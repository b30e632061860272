#pragma once
/// Times computed from numbers in unverified packets.

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace takt::sensors {

/// Returns the time this many seconds after `utc_ns` (since 1970); longer spans are limited to centuries.
[[nodiscard]] inline std::int64_t time_after(std::int64_t utc_ns, double seconds) {
  constexpr double farthest_ns = 4e18;
  return utc_ns + std::llround(std::clamp(seconds * 1e9, -farthest_ns, farthest_ns));
}

}  // namespace takt::sensors
