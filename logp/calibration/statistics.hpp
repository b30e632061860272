#pragma once
/// Command statistics, and numbers that are known up to an error.

#include <cstddef>
#include <vector>

namespace takt::logp {

/// A number and its standard error.
struct Estimate {
  double value = 0;
  double error = 0;
};

/// The value below which this share of the values lies, interpolated between neighbours; 0 of no values.
[[nodiscard]] double quantile(std::vector<double> values, double share);

/// A quantile with the error that follows from the number of values alone, whatever their distribution: the
/// rank of the quantile is binomial, so one standard error reaches sqrt(share (1 - share) / n) to either
/// side. Two values at least; fewer tell nothing about the error, which is then as large as the value.
[[nodiscard]] Estimate estimate_quantile(const std::vector<double>& values, double share);

/// How many standard errors a two-sided interval of 95 % spans to either side (Student's t).
[[nodiscard]] double errors_of_95_percent(std::size_t degrees_of_freedom);

}  // namespace takt::logp
