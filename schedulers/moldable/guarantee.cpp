#include "schedulers/moldable/guarantee.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

namespace takt::schedulers {

namespace {

/// at + slope * alpha.
struct LineOverAlpha {
  double at = 0;
  double slope = 0;
  [[nodiscard]] double value(double alpha) const { return at + slope * alpha; }
};

/// By golden section: the ratio falls, then rises.
template <class Function>
double least_argument(double low, double high, const Function& function) {
  constexpr double golden = 0.6180339887498949;
  double left = high - golden * (high - low), right = low + golden * (high - low);
  double at_left = function(left), at_right = function(right);
  for (int i = 0; i < 80; ++i) {
    if (at_left <= at_right) {
      high = right;
      right = left;
      at_right = at_left;
      left = high - golden * (high - low);
      at_left = function(left);
    } else {
      low = left;
      left = right;
      at_left = at_right;
      right = low + golden * (high - low);
      at_right = function(right);
    }
  }
  return (low + high) / 2;
}

}  // namespace

double guarantee_ratio(std::span<const std::size_t> sizes, const MuAndBound& parameters) {
  const auto [mu, bound] = parameters;
  const auto m = static_cast<double>(std::accumulate(sizes.begin(), sizes.end(), std::size_t{0}));
  const auto largest = static_cast<double>(std::ranges::max(sizes));
  const auto b = static_cast<double>(bound);
  double s = 0;
  for (std::size_t size : sizes) s += std::max(0.0, static_cast<double>(size) - b + 1);
  const auto line = [](double with_alpha, double without) {
    return LineOverAlpha{without, with_alpha - without};
  };
  const std::array lines{line(1 - mu, mu / m), line(b * (1 - mu) / largest, b * mu / m), line(0, mu * s / m)};
  const auto least = [&](double alpha) {
    return std::min({lines[0].value(alpha), lines[1].value(alpha), lines[2].value(alpha)});
  };
  double beta = std::max(least(0), least(1));
  for (std::size_t i = 0; i < lines.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const double slopes = lines[i].slope - lines[j].slope;
      if (slopes == 0) continue;
      const double alpha = (lines[j].at - lines[i].at) / slopes;
      if (alpha > 0 && alpha < 1) beta = std::max(beta, least(alpha));
    }
  return beta > 0 ? std::max(1.0, 1 / beta) : std::numeric_limits<double>::infinity();
}

double best_mu(std::span<const std::size_t> sizes, std::size_t bound) {
  return least_argument(1e-6, 1 - 1e-6, [&](double mu) { return guarantee_ratio(sizes, {mu, bound}); });
}

MuAndBound best_guarantee(std::span<const std::size_t> sizes) {
  MuAndBound best;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t bound = 1; bound <= std::ranges::max(sizes); ++bound) {
    const double mu = best_mu(sizes, bound), ratio = guarantee_ratio(sizes, {mu, bound});
    if (ratio >= least) continue;
    least = ratio;
    best = {mu, bound};
  }
  return best;
}

namespace {

/// Moves from the best mu towards an end of (0, 1), as long as the ratio is at most this one.
std::optional<double> farthest_mu(std::span<const std::size_t> sizes, std::size_t bound, double ratio,
                                  double end) {
  double good = best_mu(sizes, bound);
  if (guarantee_ratio(sizes, {good, bound}) > ratio) return std::nullopt;
  for (int i = 0; i < 60; ++i) {
    const double middle = (good + end) / 2;
    (guarantee_ratio(sizes, {middle, bound}) <= ratio ? good : end) = middle;
  }
  return good;
}

}  // namespace

std::optional<double> smallest_mu(std::span<const std::size_t> sizes, std::size_t bound, double ratio) {
  return farthest_mu(sizes, bound, ratio, 0);
}

std::optional<double> largest_mu(std::span<const std::size_t> sizes, std::size_t bound, double ratio) {
  return farthest_mu(sizes, bound, ratio, 1);
}

}  // namespace takt::schedulers
