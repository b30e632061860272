#pragma once
/// Chooses the sizes to measure: powers of two, and more where the curves are not straight.

#include <array>
#include <cstdint>
#include <vector>

#include "core/units.hpp"
#include "logp/calibration/observations.hpp"

namespace takt::logp {

/// Returns 1, 2, 4, ... up to `largest`, which is included.
[[nodiscard]] std::vector<Bytes> powers_of_two(Bytes largest);

struct RefineOptions {
  /// Largest deviation of an extrapolation, relative to the measured value.
  double tolerance = 0.08;
  /// Smaller differences never count: for the overheads, relative to the round trip of that size; and in
  /// nanoseconds.
  double round_trip_tolerance = 0.04;
  double nanoseconds = 25;
  /// Resolution of the position of a step, relative to its size.
  double resolution = 1.0 / 64;
  /// Sizes with the largest errors come first: steps, before noise.
  std::size_t most_at_once = 4;
};

/// Returns the middles of intervals between measured sizes at which the line through the
/// two previous points misses the next one by more than the tolerance and three standard
/// errors. At a step, repeated calls halve the interval around it down to the resolution.
/// Source: Kielmann, Bal, Verstoep, "Fast measurement of LogP parameters for message
/// passing platforms" (2000), section 4. Ascending; a size of 0 is ignored. O(n).
[[nodiscard]] std::vector<Bytes> sizes_to_add(const std::array<Curve, quantity_count>& curves,
                                              const RefineOptions& options = {});

}  // namespace takt::logp
