#include "sensors/synthetic/normal_table.hpp"

#include <array>
#include <cmath>
#include <numbers>

namespace takt::sensors {

namespace {

/// Returns the quantile of the standard normal distribution for this probability of at most one half. Uses
/// Newton's method from a nearby start above it, from which the method descends.
double lower_quantile(double probability, double start) {
  double x = start;
  for (int i = 0; i < 6; ++i) {
    const double below = 0.5 * std::erfc(-x / std::numbers::sqrt2);
    const double density = std::exp(-x * x / 2) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
    x -= (below - probability) / density;
  }
  return x;
}

std::array<float, normal_places> make_quantiles() {
  std::array<float, normal_places> quantiles{};
  double x = 0;
  for (std::size_t k = normal_places / 2; k-- > 0;) {
    x = lower_quantile((static_cast<double>(k) + 0.5) / normal_places, x);
    quantiles[k] = static_cast<float>(x);
    quantiles[normal_places - 1 - k] = static_cast<float>(-x);
  }
  return quantiles;
}

}  // namespace

std::span<const float, normal_places> normal_quantiles() {
  static const std::array<float, normal_places> quantiles = make_quantiles();
  return quantiles;
}

double normal_tail(SplitMix& random) {
  static const double begin = -lower_quantile(1.0 / normal_places, -4);
  while (true) {
    const double beyond = -std::log(1 - random.unit()) / begin;
    if (-2 * std::log(1 - random.unit()) > beyond * beyond) return begin + beyond;
  }
}

}  // namespace takt::sensors
