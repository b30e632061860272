#pragma once
/// Standard normal numbers by table: one nanosecond each, compared with twenty for logarithm and cosine.

#include <cstddef>
#include <span>

#include "sensors/synthetic/split_mix.hpp"

namespace takt::sensors {

inline constexpr std::size_t normal_places = std::size_t{1} << 16;

/// Returns the table. Place k has the quantile of (k + 1/2) / 2^16; a uniformly drawn place has a normal
/// number with tails that end at 4.3. Computed once per process, in some milliseconds.
[[nodiscard]] std::span<const float, normal_places> normal_quantiles();

/// Returns a number of the upper tail, the last place's interval of probability 2^-16: 4.17 or more,
/// unbounded. For exact tails it replaces the value of the last place, and its negative that of place 0.
///
/// Source: Marsaglia, "Generating a variable from the tail of the normal distribution" (1964).
[[nodiscard]] double normal_tail(SplitMix& random);

}  // namespace takt::sensors
