#pragma once
/// Where a link changes its protocol: the ranges of sizes on which all its curves are straight lines.

#include <cstddef>
#include <span>
#include <vector>

#include "logp/calibration/line.hpp"

namespace takt::logp {

struct RegimeOptions {
  /// Points that a range has at least.
  std::size_t least_points = 3;
  /// What one range more must gain in misfit, summed over the curves: about the Bayesian information
  /// criterion of four curves, each with two more parameters, and a boundary.
  double price = 45;
};

/// The first point of each range, ascending, 0 first: the partition with the least sum of misfits and prices,
/// found by dynamic programming. The curves (one value at each of the same ascending sizes) share their
/// boundaries, since a protocol's step moves all parameters at once, and what one curve shows supports the
/// others. O(curves n^3) for n sizes, which are some dozens.
[[nodiscard]] std::vector<std::size_t> find_regimes(std::span<const std::vector<Measured>> curves,
                                                    const RegimeOptions& options = {});

}  // namespace takt::logp
