#include "pipeline/sustain/rate_search.hpp"

#include <algorithm>
#include <cmath>

namespace takt::pipeline {

namespace {

/// Least rate of the search, relative to the first one.
constexpr double least_share = 1e-3;
constexpr double step = 1.25;

class Search {
 public:
  Search(const std::function<std::optional<RateVerdict>(double)>& trial, const RateSearchOptions& options)
      : trial_(trial), options_(options) {}

  RateSearchResult run() {
    double next = options_.first_hz;
    while (!is_over_) {
      const std::optional<RateVerdict> good = holds(next);
      if (!good) break;
      if (good->holds)
        held_ = next;
      else
        fail(next, good->was_disturbed);
      if (held_ && failed_ && *failed_ <= *held_ * (1 + options_.resolution) && confirm() && !look_again())
        break;
      if (!held_ && next < options_.first_hz * least_share) break;
      if (is_over_) break;
      next = !failed_ ? *held_ * step : !held_ ? *failed_ / step : std::sqrt(*held_ * *failed_);
    }
    return {held_, failed_, trials_, is_confirmed_};
  }

 private:
  std::optional<RateVerdict> once(double hertz) {
    if (trials_ >= options_.most_trials) is_over_ = true;
    if (is_over_) return std::nullopt;
    const std::optional<RateVerdict> good = trial_(hertz);
    if (good)
      ++trials_;
    else
      is_over_ = true;
    return good;
  }

  /// The result counts as disturbed if either trial was.
  std::optional<RateVerdict> holds(double hertz) {
    const std::optional<RateVerdict> first = once(hertz);
    if (!first || first->holds) return first;
    std::optional<RateVerdict> second = once(hertz);
    if (second) second->was_disturbed = second->was_disturbed || first->was_disturbed;
    return second;
  }

  void fail(double hertz, bool was_disturbed) {
    failed_ = hertz;
    is_failed_by_others_ = was_disturbed;
  }

  /// Repeats the trial at the rate that held, as configured; continues at a lower rate after two failures.
  bool confirm() {
    for (std::size_t in_a_row = 1; in_a_row < options_.repetitions; ++in_a_row) {
      const std::optional<RateVerdict> first = once(*held_);
      if (!first) return false;
      if (first->holds) continue;
      const std::optional<RateVerdict> second = once(*held_);
      if (!second) return false;
      // The repetitions start again.
      in_a_row = 0;
      if (second->holds) continue;
      fail(*held_, first->was_disturbed || second->was_disturbed);
      held_.reset();
      return false;
    }
    is_confirmed_ = true;
    return true;
  }

  /// Returns true if the failed rate holds after all, so that the search continues above it.
  bool look_again() {
    if (!is_failed_by_others_ || looks_++ >= options_.second_looks) return false;
    const std::optional<RateVerdict> good = holds(*failed_);
    if (!good || !good->holds) return false;
    held_ = failed_;
    failed_.reset();
    is_confirmed_ = false;
    return true;
  }

  const std::function<std::optional<RateVerdict>(double)>& trial_;
  const RateSearchOptions& options_;
  std::optional<double> held_, failed_;
  std::size_t trials_ = 0, looks_ = 0;
  bool is_failed_by_others_ = false, is_confirmed_ = false, is_over_ = false;
};

}  // namespace

RateSearchResult find_highest_rate(const std::function<std::optional<RateVerdict>(double)>& trial,
                                   const RateSearchOptions& options) {
  return Search(trial, options).run();
}

std::size_t usual_trials(const RateSearchOptions& options) {
  constexpr double first_step = 0.25;
  const double halvings = std::max(0.0, std::ceil(std::log2(first_step / options.resolution)));
  return std::min(static_cast<std::size_t>(halvings) + options.repetitions + 2, options.most_trials);
}

}  // namespace takt::pipeline
