#pragma once
/// A required frequency.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "core/period.hpp"

namespace takt::schedulers {

/// The longest allowed time between frames, in ticks; positive.
struct RequiredRate {
  double period = 1;

  /// Accepts a frequency after a round trip through text.
  static constexpr double tolerance = 1e-9;

  [[nodiscard]] bool is_held_by(const Period& other) const { return allows(other.ticks()); }
  /// The same for a period in ticks.
  [[nodiscard]] bool allows(double other) const { return other <= period * (1 + tolerance); }
  /// Returns the longest integer time of an iteration of `frames` frames, or one that no iteration exceeds
  /// (check_fit, evaluation.hpp).
  [[nodiscard]] Time time_of(std::uint32_t frames) const {
    constexpr double longest = 2e18;
    return Time(static_cast<Time::rep>(std::min(longest, std::floor(period * frames * (1 + tolerance)))));
  }
};

/// Parses `0.05`, in frames per tick, or with a unit, `50 Hz`, `2.4kHz`: a tick is then a nanosecond. Throws
/// ConfigError.
[[nodiscard]] RequiredRate parse_required_rate(std::string_view text);

}  // namespace takt::schedulers
