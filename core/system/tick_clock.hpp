#pragma once
/// The clock of now_ns() for very frequent readings.

#include <algorithm>
#include <cstdint>

#include "core/system/clock.hpp"

namespace takt {

/// Computes times of now_ns() from the processor's tick counter, in a few nanoseconds per reading instead of
/// 22. It must be set again regularly, since the system adjusts its own second: after a millisecond the error
/// is below a microsecond. If the system does not trust the counter, it is now_ns().
class TickClock {
 public:
  /// Reports whether the system's own clock uses the counter.
  static bool is_trusted();

  explicit TickClock(bool is_used = is_trusted()) : is_used_(is_used) {}

  /// Sets the clock, and returns the time of now_ns().
  std::int64_t set();

  /// Returns a time never earlier than the time at which it was set.
  [[nodiscard]] std::int64_t now() const {
    if (!is_set_) return now_ns();
    const auto since = static_cast<std::int64_t>(ticks() - ticks_);
    return moment_ +
           static_cast<std::int64_t>(static_cast<double>(std::max<std::int64_t>(since, 0)) * ns_per_tick_);
  }

 private:
  [[nodiscard]] static std::uint64_t ticks() {
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#else
    return 0;
#endif
  }

  bool is_used_, is_set_ = false;
  /// Start of the rate measurement, and the last setting.
  std::uint64_t first_ticks_ = 0, ticks_ = 0;
  std::int64_t first_moment_ = 0, moment_ = 0;
  /// 0: unknown.
  double ns_per_tick_ = 0;
};

}  // namespace takt
