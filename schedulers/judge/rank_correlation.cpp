#include "schedulers/judge/rank_correlation.hpp"

#include <algorithm>
#include <cmath>

namespace takt::schedulers {

namespace {

double sign(double x) {
  return x > 0 ? 1 : x < 0 ? -1 : 0;
}

bool differ(double x, double y, double least_difference) {
  return std::abs(x - y) > least_difference * std::max(std::abs(x), std::abs(y));
}

}  // namespace

double kendall_tau(std::span<const double> a, std::span<const double> b, double least_difference) {
  double agree = 0, pairs_a = 0, pairs_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = i + 1; j < a.size(); ++j) {
      if (least_difference > 0 && !differ(a[i], a[j], least_difference)) continue;
      const double x = sign(a[i] - a[j]), y = sign(b[i] - b[j]);
      agree += x * y;
      pairs_a += x * x;
      pairs_b += y * y;
    }
  return pairs_a > 0 && pairs_b > 0 ? agree / std::sqrt(pairs_a * pairs_b) : 0;
}

std::size_t pairs_apart(std::span<const double> a, double least_difference) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = i + 1; j < a.size(); ++j)
      if (differ(a[i], a[j], least_difference)) ++count;
  return count;
}

}  // namespace takt::schedulers
