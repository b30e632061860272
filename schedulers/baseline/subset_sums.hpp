#pragma once
/// Sums of subsets of indivisible tasks: the exact work that a processor can do within a time.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/units.hpp"

namespace takt::schedulers {

/// The sums of all subsets of some works as a bit set, in units of the
/// works' greatest common divisor, which keeps them short for round works.
/// If the total exceeds `most_bits` units, only the divisor is used.
class SubsetSums {
 public:
  static constexpr std::size_t most_bits = 8192;

  /// For works among these, all of which may be added.
  explicit SubsetSums(std::span<const Time> works);

  /// Resets to no works: the sum 0.
  void clear();
  /// Adds a work. O(bits / 64).
  void add(Time work);

  /// Returns the largest sum up to a time, which must not be negative. O(bits / 64), mostly O(1).
  [[nodiscard]] Time largest_within(Time time) const;

 private:
  Time unit_{1};
  /// Empty where only the unit is used.
  std::vector<std::uint64_t> words_;
  std::size_t used_words_ = 1;
  Time total_{0};
};

}  // namespace takt::schedulers
