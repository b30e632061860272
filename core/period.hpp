#pragma once
/// The time between successive frames as an exact fraction.

#include <compare>
#include <cstdint>
#include <string>

#include "core/units.hpp"

namespace takt {

/// `time` for every `frames` frames; `frames` is positive. Periods with equal quotients are equal.
struct Period {
  Time time{0};
  std::uint32_t frames = 1;

  [[nodiscard]] double ticks() const { return static_cast<double>(time.count()) / frames; }
  /// Returns the least whole time of this many frames with this period.
  [[nodiscard]] Time time_of(std::uint32_t count) const;

  friend std::weak_ordering operator<=>(const Period& a, const Period& b);
  friend bool operator==(const Period& a, const Period& b) {
    return (a <=> b) == std::weak_ordering::equivalent;
  }
};

/// Returns the quotient with all its digits, `42.5`, if they are finite; otherwise the shortest text for the
/// same floating-point number, `28.333333333333332`.
[[nodiscard]] std::string to_decimal(const Period& period);

}  // namespace takt
