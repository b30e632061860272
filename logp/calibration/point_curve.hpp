#pragma once
/// A link's costs straight through what was measured, for a first look with few samples of each size.

#include "logp/calibration/observations.hpp"
#include "logp/cost.hpp"

namespace takt::logp {

/// Overheads, gap and latency at each size as they were measured (the medians; L by the definition of
/// fit_link), joined by straight lines; beyond the largest size the last line goes on. What falls with
/// the size is disturbed: such neighbours share their mean. Sizes that lie within a tenth, or 20 ns, of the
/// lines between others are left to these.
///
/// Lines fitted to few samples believe the small messages, which vary little, and are wrong by ten times
/// about those of a megabyte where these no longer come from a cache. The observations must hold size 0.
[[nodiscard]] LinkCosts join_points(const LinkObservations& observations, Samples samples = Samples::quiet);

}  // namespace takt::logp
