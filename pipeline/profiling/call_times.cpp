#include "pipeline/profiling/call_times.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>
#include <utility>

#include "pipeline/profiling/trial_turns.hpp"

namespace takt::pipeline {

namespace {

/// In ascending order.
std::vector<Time> sorted(std::vector<Time> times) {
  std::ranges::sort(times);
  return times;
}

/// Of times in ascending order all but the dearest hundredth.
std::span<const Time> frequent(std::span<const Time> ascending) {
  constexpr std::size_t rare = 100;
  return ascending.first(ascending.size() - ascending.size() / rare);
}

/// Of times in ascending order, those above all but the dearest hundredth as the last one below it.
void limit_rare(std::vector<Time>& ascending) {
  const std::size_t count = frequent(ascending).size();
  std::fill(ascending.begin() + static_cast<std::ptrdiff_t>(count), ascending.end(), ascending[count - 1]);
}

/// Of times in ascending order the dearest ones that are far from all but the dearest twentieth.
std::span<const Time> far_ones(std::span<const Time> ascending) {
  constexpr int far = 4;
  constexpr std::size_t rare = 20;
  if (ascending.empty()) return {};
  const Time usual = ascending[ascending.size() - ascending.size() / rare - 1];
  const auto first = std::ranges::upper_bound(ascending, far * usual);
  return ascending.subspan(static_cast<std::size_t>(first - ascending.begin()));
}

Time sum(std::span<const Time> times) {
  return std::accumulate(times.begin(), times.end(), Time{0});
}

double mean(std::span<const Time> times) {
  return static_cast<double>(sum(times).count()) / static_cast<double>(times.size());
}

}  // namespace

std::optional<RareCalls> rare_calls(const std::vector<Time>& times) {
  constexpr std::size_t often = 3;
  const std::vector<Time> ascending = sorted(times);
  const std::span<const Time> far = far_ones(ascending);
  if (far.size() < often) return std::nullopt;
  const std::span<const Time> others = std::span(ascending).first(ascending.size() - far.size());
  return RareCalls{.share = static_cast<double>(far.size()) / static_cast<double>(times.size()),
                   .cost = Time{std::llround(mean(far))},
                   .usual = Time{std::llround(mean(others))}};
}

bool may_have_rare_calls(const std::vector<Time>& times) {
  constexpr double much = 0.08;
  const std::vector<Time> ascending = sorted(times);
  return static_cast<double>(sum(far_ones(ascending)).count()) >
         much * static_cast<double>(sum(ascending).count());
}

Time cost_of(const std::vector<Time>& times, bool is_stateless) {
  if (times.empty()) return Time{0};
  std::vector<Time> ascending = sorted(times);
  if (is_stateless && !rare_calls(times)) limit_rare(ascending);
  return Time{std::llround(mean(ascending))};
}

std::optional<Time> cost_of_results(const std::vector<Time>& times, const std::vector<bool>& gave) {
  constexpr std::size_t enough = 2;
  std::vector<Time> results;
  for (std::size_t i = 0; i < times.size(); ++i)
    if (gave[i]) results.push_back(times[i]);
  if (results.size() < enough || 2 * results.size() >= times.size()) return std::nullopt;
  return median(std::move(results));
}

bool are_settled(const std::vector<Time>& times) {
  constexpr std::size_t enough = 40;
  constexpr double close = 0.05, sure = 0.02;
  if (times.size() < enough || may_have_rare_calls(times)) return false;
  std::vector<Time> ascending = sorted(times);
  const auto quantile = [&](std::size_t quarters) {
    return static_cast<double>(ascending[(ascending.size() - 1) * quarters / 4].count());
  };
  if (quantile(3) - quantile(1) > close * quantile(2)) return false;
  limit_rare(ascending);
  const double average = mean(ascending);
  double squares = 0;
  for (const Time time : ascending) squares += std::pow(static_cast<double>(time.count()) - average, 2);
  return std::sqrt(squares) / static_cast<double>(ascending.size()) <= sure * average;
}

}  // namespace takt::pipeline
