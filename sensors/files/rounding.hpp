#pragma once
/// Rounding of floating-point numbers: to the integers of files, and of their numbers to float32.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace takt::sensors {

/// Reports whether float32 cannot represent a value that should keep its digits or its size: an integer of
/// too many bits, or a finite number beyond 3.4e38. Fractions are rounded by definition.
[[nodiscard]] inline bool is_rounded(double value) {
  const double kept = static_cast<double>(static_cast<float>(value));
  return kept != value && std::isfinite(value) && (std::isinf(kept) || std::trunc(value) == value);
}

/// Writes values x scale, rounded to the nearest integers (ties to even), to `to`. Values beyond the type's
/// range become its nearest bound, NaN becomes 0; returns how many values were changed in these ways. `to`
/// may have any alignment.
/// For types of up to 16 bits: float32 represents their sums with the constant below exactly.
template <class Integer>
std::size_t round_to(std::span<const float> values, float scale, Integer* to) {
  static_assert(sizeof(Integer) <= 2);
  constexpr auto low = static_cast<float>(std::numeric_limits<Integer>::min()),
                 high = static_cast<float>(std::numeric_limits<Integer>::max());
  // 1.5 x 2^23: a sum with it has no fraction bits.
  constexpr float whole = 12582912;
  std::size_t clipped = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const float scaled = values[i] * scale;
    const bool fits = scaled >= low - 0.5F && scaled < high + 0.5F;
    const float held = scaled < low ? low : scaled > high ? high : scaled == scaled ? scaled : 0;
    to[i] = static_cast<Integer>((held + whole) - whole);
    clipped += fits ? 0 : 1;
  }
  return clipped;
}

}  // namespace takt::sensors
