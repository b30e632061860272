#pragma once
/// The clock of frames' `ingested_ns` and of pacing.

#include <chrono>
#include <cstdint>

namespace takt::sensors {

/// Nanoseconds of CLOCK_MONOTONIC.
[[nodiscard]] inline std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace takt::sensors
