#include "pipeline/sustain/rate_search.hpp"

#include <algorithm>
#include <cmath>

namespace takt::pipeline {

namespace {

/// Of the first rate: below it none is looked for any more.
constexpr double least_share = 1e-3;
constexpr double step = 1.25;

class Search {
 public:
  Search(const std::function<std::optional<bool>(double)>& trial, const RateSearchOptions& options)
      : trial_(trial), options_(options) {}

  RateSearchResult run() {
    double next = options_.first_hz;
    while (!is_over_) {
      const std::optional<bool> good = holds(next);
      if (!good) break;
      if (*good)
        held_ = next;
      else
        failed_ = next;
      if (held_ && failed_ && *failed_ <= *held_ * (1 + options_.resolution) && confirm()) break;
      if (!held_ && next < options_.first_hz * least_share) break;
      if (is_over_) break;
      next = !failed_ ? *held_ * step : !held_ ? *failed_ / step : std::sqrt(*held_ * *failed_);
    }
    return {held_, failed_, trials_, is_confirmed_};
  }

 private:
  std::optional<bool> once(double hertz) {
    if (trials_ >= options_.most_trials) is_over_ = true;
    if (is_over_) return std::nullopt;
    const std::optional<bool> good = trial_(hertz);
    if (good)
      ++trials_;
    else
      is_over_ = true;
    return good;
  }

  std::optional<bool> holds(double hertz) {
    const std::optional<bool> first = once(hertz);
    return first.value_or(true) ? first : once(hertz);
  }

  /// Tries the rate that held once more, as often as is asked for. Where it fails, a lower one is next.
  bool confirm() {
    for (std::size_t i = 1; i < options_.repetitions; ++i) {
      const std::optional<bool> good = once(*held_);
      if (!good) return false;
      if (*good) continue;
      failed_ = held_;
      held_.reset();
      return false;
    }
    is_confirmed_ = true;
    return true;
  }

  const std::function<std::optional<bool>(double)>& trial_;
  const RateSearchOptions& options_;
  std::optional<double> held_, failed_;
  std::size_t trials_ = 0;
  bool is_confirmed_ = false, is_over_ = false;
};

}  // namespace

RateSearchResult find_highest_rate(const std::function<std::optional<bool>(double)>& trial,
                                   const RateSearchOptions& options) {
  return Search(trial, options).run();
}

std::size_t usual_trials(const RateSearchOptions& options) {
  constexpr double first_step = 0.25;
  const double halvings = std::max(0.0, std::ceil(std::log2(first_step / options.resolution)));
  return std::min(static_cast<std::size_t>(halvings) + options.repetitions + 2, options.most_trials);
}

}  // namespace takt::pipeline
