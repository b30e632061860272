#pragma once
/// The clock by which the emulator paces a stream; tests put their own in its place.

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

  /// Nanoseconds from any origin.
  [[nodiscard]] virtual std::int64_t now_ns();
  /// Sleeps until the moment or until `stop` is set.
  virtual void sleep_until(std::int64_t moment_ns, const std::atomic<bool>& stop);
};

}  // namespace takt::sensors
