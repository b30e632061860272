#pragma once
/// A frequency that must be held.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "core/period.hpp"

namespace takt::schedulers {

/// The longest time between frames that is allowed, in ticks; positive.
struct RequiredRate {
  double period = 1;

  /// A frequency that was printed and read again is still held.
  static constexpr double tolerance = 1e-9;

  [[nodiscard]] bool is_held_by(const Period& other) const { return allows(other.ticks()); }
  /// The same for a period in ticks.
  [[nodiscard]] bool allows(double other) const { return other <= period * (1 + tolerance); }
  /// The longest whole time that a repetition of so many frames may take, or one that none exceeds
  /// (check_fit, evaluation.hpp).
  [[nodiscard]] Time time_of(std::uint32_t frames) const {
    constexpr double longest = 2e18;
    return Time(static_cast<Time::rep>(std::min(longest, std::floor(period * frames * (1 + tolerance)))));
  }
};

/// `0.05`, in frames a tick, or with a unit, `50 Hz`, `2.4kHz`: a tick is a nanosecond then. Throws
/// ConfigError.
[[nodiscard]] RequiredRate parse_required_rate(std::string_view text);

}  // namespace takt::schedulers
