#pragma once
/// The time between successive frames as an exact fraction.

#include <compare>
#include <cstdint>
#include <string>

#include "core/units.hpp"

namespace takt {

/// `time` for every `frames` frames; `frames` is positive. Equal where the quotients are.
struct Period {
  Time time{0};
  std::uint32_t frames = 1;

  [[nodiscard]] double ticks() const { return static_cast<double>(time.count()) / frames; }
  /// The least whole time that so many frames take with this period.
  [[nodiscard]] Time time_of(std::uint32_t count) const;

  friend std::weak_ordering operator<=>(const Period& a, const Period& b);
  friend bool operator==(const Period& a, const Period& b) {
    return (a <=> b) == std::weak_ordering::equivalent;
  }
};

/// The quotient with all its digits, `42.5`, where they end; otherwise the shortest text that gives the same
/// floating-point number, `28.333333333333332`.
[[nodiscard]] std::string to_decimal(const Period& period);

}  // namespace takt
