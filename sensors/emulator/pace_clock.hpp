#pragma once
/// The clock that paces the emulator; tests replace it by their own.

#include <atomic>
#include <cstdint>

namespace takt::sensors {

/// CLOCK_MONOTONIC.
class PaceClock {
 public:
  PaceClock() = default;
  PaceClock(const PaceClock&) = delete;
  PaceClock& operator=(const PaceClock&) = delete;
  virtual ~PaceClock() = default;

  /// Returns nanoseconds from an arbitrary origin.
  [[nodiscard]] virtual std::int64_t now_ns();
  /// Sleeps until the time or until `stop` is set.
  virtual void sleep_until(std::int64_t moment_ns, const std::atomic<bool>& stop);
};

}  // namespace takt::sensors
