#include "pipeline/costs/call_times.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>

#include "pipeline/constants.hpp"

namespace takt::pipeline {

namespace {

/// In ascending order.
std::vector<Time> sorted(std::vector<Time> times) {
  std::ranges::sort(times);
  return times;
}

/// Returns all but the most expensive 1 % of times in ascending order.
std::span<const Time> frequent(std::span<const Time> ascending) {
  return ascending.first(ascending.size() - ascending.size() / infrequent_calls);
}

/// Limits the most expensive 1 % of times in ascending order to the largest of the others.
void limit_infrequent(std::vector<Time>& ascending) {
  const std::size_t count = frequent(ascending).size();
  std::fill(ascending.begin() + static_cast<std::ptrdiff_t>(count), ascending.end(), ascending[count - 1]);
}

Time sum(std::span<const Time> times) {
  return std::accumulate(times.begin(), times.end(), Time{0});
}

double mean(std::span<const Time> times) {
  return static_cast<double>(sum(times).count()) / static_cast<double>(times.size());
}

}  // namespace

Time cost_of(const std::vector<Time>& times, bool is_stateless) {
  if (times.empty()) return Time{0};
  std::vector<Time> ascending = sorted(times);
  if (is_stateless) limit_infrequent(ascending);
  return Time{std::llround(mean(ascending))};
}

bool are_settled(const std::vector<Time>& times) {
  if (times.size() < settled_calls) return false;
  std::vector<Time> ascending = sorted(times);
  const auto quantile = [&](std::size_t quarters) {
    return static_cast<double>(ascending[(ascending.size() - 1) * quarters / 4].count());
  };
  if (quantile(3) - quantile(1) > small_share * quantile(2)) return false;
  limit_infrequent(ascending);
  const double average = mean(ascending);
  double squares = 0;
  for (const Time time : ascending) squares += std::pow(static_cast<double>(time.count()) - average, 2);
  return std::sqrt(squares) / static_cast<double>(ascending.size()) <= settled_error * average;
}

}  // namespace takt::pipeline
