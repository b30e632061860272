#include "pipeline/runtime/trials/repetitions.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "pipeline/constants.hpp"

namespace takt::pipeline {

namespace {

/// Returns the relative standard error of the mean.
double standard_error(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / (count - 1) / count) / mean;
}

}  // namespace

void Repetitions::add(double value) {
  ++count_;
  if (value > 0) values_.push_back(value);
}

bool Repetitions::are_settled() const {
  if (values_.size() < count_) return true;
  return count_ >= least_repetitions && standard_error(values_) < settled_error;
}

double Repetitions::median() const {
  if (values_.empty()) return 0;
  std::vector<double> sorted = values_;
  std::ranges::sort(sorted);
  const std::size_t half = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

std::optional<Spread> Repetitions::spread() const {
  if (values_.empty()) return std::nullopt;
  const auto [least, most] = std::ranges::minmax(values_);
  return Spread{least, most};
}

std::vector<Repetitions> repeat_in_alternation(const std::vector<std::size_t>& plans,
                                               const std::function<double(std::size_t)>& repeat,
                                               const std::function<bool()>& is_over) {
  std::vector<Repetitions> shown(plans.size());
  const auto are_enough = [](const Repetitions& each) {
    return each.are_settled() || each.count() >= least_repetitions;
  };
  while (!std::ranges::all_of(shown, &Repetitions::are_settled)) {
    if (std::ranges::all_of(shown, are_enough) && is_over()) break;
    for (std::size_t i = 0; i < plans.size(); ++i)
      if (!shown[i].are_settled()) shown[i].add(repeat(plans[i]));
  }
  return shown;
}

}  // namespace takt::pipeline
