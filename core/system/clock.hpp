#pragma once
/// The clock of the runtime: frames' times of ingestion, pacing, waiting.

#include <chrono>
#include <cstdint>

namespace takt {

/// Returns nanoseconds of CLOCK_MONOTONIC.
[[nodiscard]] inline std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// Returns UTC in nanoseconds since 1970, by the system's clock.
[[nodiscard]] inline std::int64_t utc_now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

/// Returns the CPU time of the calling thread in nanoseconds.
[[nodiscard]] std::int64_t thread_processor_ns();

/// Sleeps until this time, or until a signal arrives.
void sleep_until(std::int64_t moment_ns);

}  // namespace takt
