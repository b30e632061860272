#pragma once
/// Finds protocol changes of a link: ranges of sizes in which all its curves are straight lines.

#include <cstddef>
#include <span>
#include <vector>

#include "logp/calibration/line.hpp"

namespace takt::logp {

struct RegimeOptions {
  /// Least number of points of a range.
  std::size_t least_points = 3;
  /// Least gain in misfit, summed over the curves, of an additional range: about the Bayesian information
  /// criterion of four curves, each with two more parameters, and a boundary.
  double price = 45;
};

/// Returns the first point of each range, ascending, 0 first: the partition with the least sum of misfits and
/// prices, found by dynamic programming. The curves (one value at each of the same ascending sizes) share
/// their boundaries, since a protocol's step moves all parameters together, so that the curves support each
/// other. O(curves n^3) for n sizes, some dozens.
[[nodiscard]] std::vector<std::size_t> find_regimes(std::span<const std::vector<Measured>> curves,
                                                    const RegimeOptions& options = {});

}  // namespace takt::logp
