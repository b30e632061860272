#pragma once
/// Robust statistics, and estimates with errors.

#include <cstddef>
#include <vector>

namespace takt::logp {

/// A number and its standard error.
struct Estimate {
  double value = 0;
  double error = 0;
};

/// Returns the value below which this share of the values lies, interpolated; 0 for no values.
[[nodiscard]] double quantile(std::vector<double> values, double share);

/// Returns a quantile with the error that follows from the number of values alone, for any distribution: the
/// rank of the quantile is binomial, so one standard error is sqrt(share (1 - share) / n) to either side.
/// Needs two values; with fewer the error is as large as the value.
[[nodiscard]] Estimate estimate_quantile(const std::vector<double>& values, double share);

/// Returns the standard errors to either side of a two-sided 95 % interval (Student's t).
[[nodiscard]] double errors_of_95_percent(std::size_t degrees_of_freedom);

}  // namespace takt::logp
