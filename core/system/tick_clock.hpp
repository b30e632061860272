#pragma once
/// The clock of now_ns() for whoever looks at it very often.

#include <algorithm>
#include <cstdint>

#include "core/system/clock.hpp"

namespace takt {

/// Tells moments of now_ns() from the processor's counter of ticks, a few nanoseconds a look where now_ns()
/// takes 22. It must be set again every now and then, since the system keeps to its own second: a millisecond
/// later it is less than a microsecond off. Where the system does not trust the counter, it is now_ns().
class TickClock {
 public:
  /// Whether the system's own clock goes by the counter.
  static bool is_trusted();

  explicit TickClock(bool is_used = is_trusted()) : is_used_(is_used) {}

  /// Sets it, and tells the moment as now_ns() does.
  std::int64_t set();

  /// Never earlier than the moment at which it was set.
  [[nodiscard]] std::int64_t now() const {
    if (!is_set_) return now_ns();
    const auto since = static_cast<std::int64_t>(ticks() - ticks_);
    return moment_ +
           static_cast<std::int64_t>(static_cast<double>(std::max<std::int64_t>(since, 0)) * ns_a_tick_);
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
  /// When it began to take the rate, and when it was set last.
  std::uint64_t first_ticks_ = 0, ticks_ = 0;
  std::int64_t first_moment_ = 0, moment_ = 0;
  /// 0: not known.
  double ns_a_tick_ = 0;
};

}  // namespace takt
