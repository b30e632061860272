#include "logp/calibration/statistics.hpp"

#include <algorithm>
#include <cmath>

#include <boost/math/distributions/students_t.hpp>

namespace takt::logp {

namespace {

double quantile_of_sorted(const std::vector<double>& sorted, double share) {
  if (sorted.empty()) return 0;
  const double rank = std::clamp(share, 0.0, 1.0) * static_cast<double>(sorted.size() - 1);
  const auto low = static_cast<std::size_t>(rank);
  const std::size_t high = std::min(low + 1, sorted.size() - 1);
  return std::lerp(sorted[low], sorted[high], rank - static_cast<double>(low));
}

}  // namespace

double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return quantile_of_sorted(values, share);
}

Estimate estimate_quantile(const std::vector<double>& values, double share) {
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  const double value = quantile_of_sorted(sorted, share);
  if (sorted.size() < 2) return {value, std::abs(value)};
  const double reach = std::sqrt(share * (1 - share) / static_cast<double>(sorted.size()));
  // A high quantile of few values has no upper neighbour: the lower side then counts for both.
  const double below = value - quantile_of_sorted(sorted, share - reach);
  const double above = quantile_of_sorted(sorted, share + reach) - value;
  return {value, share + reach > 1 ? std::max(below, above) : (below + above) / 2};
}

double errors_of_95_percent(std::size_t degrees_of_freedom) {
  return boost::math::quantile(
      boost::math::students_t(static_cast<double>(std::max<std::size_t>(degrees_of_freedom, 1))), 0.975);
}

}  // namespace takt::logp
