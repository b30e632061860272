#pragma once
/// The straight line through points of unequal precision.

#include <span>
#include <vector>

#include "logp/calibration/statistics.hpp"

namespace takt::logp {

/// A value measured at a size.
struct Measured {
  double size = 0;
  Estimate value;
};

/// A weighted least-squares line in the form with independent errors: the value at the mean size, and the
/// slope.
struct Line {
  double mean_size = 0;
  Estimate mean;
  /// At least 0: for falling values the line is level.
  Estimate slope;
  /// The slope before it was raised to 0.
  Estimate free_slope;
  /// Sum over the points of (deviation / error)^2.
  double misfit = 0;
  /// Root mean square and largest of the relative deviations.
  double residual = 0;
  double largest_residual = 0;
  std::size_t points = 0;
  /// Standard errors to either side of a 95 % interval.
  double reach = 0;

  [[nodiscard]] Estimate at(double size) const;
  [[nodiscard]] Estimate constant() const { return at(0); }
};

/// Fits a line. The errors are those of the points, or larger if the points scatter more about the line.
/// Points need errors above 0. O(points). For one point: level.
[[nodiscard]] Line fit_line(std::span<const Measured> points);

}  // namespace takt::logp
