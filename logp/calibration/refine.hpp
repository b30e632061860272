#pragma once
/// Which sizes to measure: powers of two, and more where the curves are not straight.

#include <array>
#include <cstdint>
#include <vector>

#include "core/units.hpp"
#include "logp/calibration/observations.hpp"

namespace takt::logp {

/// 1, 2, 4, ... up to `largest`, which is one of them.
[[nodiscard]] std::vector<Bytes> powers_of_two(Bytes largest);

struct RefineOptions {
  /// An extrapolation that is further off than this, relative to the measured value, fails.
  double tolerance = 0.08;
  /// Smaller differences never count: of the overheads, relative to the round trip of that size; and in
  /// nanoseconds.
  double round_trip_tolerance = 0.04;
  double nanoseconds = 25;
  /// A step is located to this share of its size.
  double resolution = 1.0 / 64;
  /// The sizes where most is wrong come first: steps, before what chance makes of noise.
  std::size_t most_at_once = 4;
};

/// The middles of the intervals between measured sizes at which the line through two measured points before
/// misses the next one by more than the tolerance and three standard errors; for a step, repeated calls
/// halve the interval around it until the resolution is reached. Source: Kielmann, Bal, Verstoep, "Fast
/// measurement of LogP parameters for message passing platforms" (2000), section 4. Ascending; a
/// size of 0 is ignored. O(n).
[[nodiscard]] std::vector<Bytes> sizes_to_add(const std::array<Curve, quantity_count>& curves,
                                              const RefineOptions& options = {});

}  // namespace takt::logp
