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

/// UTC in nanoseconds since 1970, as the system has it.
[[nodiscard]] inline std::int64_t utc_now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

/// Nanoseconds for which the calling thread has had a processor.
[[nodiscard]] std::int64_t thread_processor_ns();

/// Sleeps until this moment, or until a signal comes.
void sleep_until(std::int64_t moment_ns);

}  // namespace takt
