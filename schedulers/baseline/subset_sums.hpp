#pragma once
/// Which sums works have that cannot be cut: what a processor can do within a time, exactly.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/units.hpp"

namespace takt::schedulers {

/// The sums of all subsets of some works, as bits; in the works' greatest common divisor, so that they are
/// few where works are round. Where all together come to more than `most_bits` of it, only that divisor
/// counts.
class SubsetSums {
 public:
  static constexpr std::size_t most_bits = 8192;

  /// Of works that are among these, which all can be added.
  explicit SubsetSums(std::span<const Time> works);

  /// Of no works: the sum 0.
  void clear();
  /// With this one. O(bits / 64).
  void add(Time work);

  /// The largest sum that is no larger than a time, which is not negative. O(bits / 64), mostly O(1).
  [[nodiscard]] Time largest_within(Time time) const;

 private:
  Time unit_{1};
  /// Nothing where only the unit counts.
  std::vector<std::uint64_t> words_;
  std::size_t used_words_ = 1;
  Time total_{0};
};

}  // namespace takt::schedulers
