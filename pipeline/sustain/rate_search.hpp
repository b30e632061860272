#pragma once
/// Searches for the highest rate that holds, using trials that may be disturbed.

#include <cstddef>
#include <functional>
#include <optional>

namespace takt::pipeline {

/// Result of a trial at a rate.
struct RateVerdict {
  /// Implicit from bool, for an undisturbed trial.
  RateVerdict(bool it_holds, bool was_disturbed_too = false)
      : holds(it_holds), was_disturbed(was_disturbed_too) {}
  bool holds = false;
  /// True if other processes used the ranks' processors, which may explain a failure.
  bool was_disturbed = false;
};

struct RateSearchOptions {
  /// First rate of the search.
  double first_hz = 1;
  /// The search ends when the lowest failed rate exceeds the highest sustained one by at most this share.
  double resolution = 0.02;
  /// Number of consecutive trials that must hold at the resulting rate. A rate fails after two consecutive
  /// failures, as one disturbed trial does not count.
  std::size_t repetitions = 3;
  std::size_t most_trials = 60;
  /// Number of repeated trials at the failed rate at the end of the search, if it failed in disturbed trials:
  /// the disturbance may have ended.
  std::size_t second_looks = 3;
};

struct RateSearchResult {
  /// Nothing if no rate above a thousandth of the first one held.
  std::optional<double> highest_hz;
  /// The lowest failed rate; nothing if none failed.
  std::optional<double> failed_hz;
  std::size_t trials = 0;
  /// True if the two rates are as close as configured, and the highest one held `repetitions` times in a row;
  /// false if the trials ran out or the search was stopped.
  bool is_complete = false;
};

/// Searches for the throughput of RFC 2544, section 26.1, by bisection: from the first rate in steps of a
/// quarter to a rate that holds and one that fails, then at their geometric mean until they are close. At
/// last it repeats the highest rate until it has held as often in a row as configured; after two
/// consecutive failures it continues below that rate. If the failed rate holds when repeated, it continues
/// above it. A trial that returns nothing stops the search. About log2(0.25 / resolution) + repetitions + 2
/// trials.
[[nodiscard]] RateSearchResult find_highest_rate(
    const std::function<std::optional<RateVerdict>(double hertz)>& trial, const RateSearchOptions& options);

/// Returns the number of trials of an undisturbed search, for progress reports.
[[nodiscard]] std::size_t usual_trials(const RateSearchOptions& options);

}  // namespace takt::pipeline
