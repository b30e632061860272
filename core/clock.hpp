#pragma once
/// The clock of everything that happens while takt runs: frames' times of ingestion, pacing, waiting.

#include <chrono>
#include <cstdint>

namespace takt {

/// Nanoseconds of CLOCK_MONOTONIC.
[[nodiscard]] inline std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace takt
