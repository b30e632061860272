#pragma once
/// A link's costs as lines through the measured points, for a quick measurement with few samples.

#include "logp/calibration/observations.hpp"
#include "logp/cost.hpp"

namespace takt::logp {

/// Returns the measured overheads, gap and latency of each size (the medians; L by the definition of
/// fit_link), joined by straight lines; the last line continues beyond the largest size. Values that fall
/// with the size are disturbed: such neighbours share their mean. Sizes within a tenth, or 20 ns, of the
/// lines between others are dropped.
///
/// Lines fitted to few samples follow the small messages, which vary little; they are wrong by a factor of
/// ten for those of a megabyte if these no longer come from a cache. The observations must contain size 0.
[[nodiscard]] LinkCosts join_points(const LinkObservations& observations, Samples samples = Samples::quiet);

}  // namespace takt::logp
