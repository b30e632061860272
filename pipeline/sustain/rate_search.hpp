#pragma once
/// The highest rate that holds, found by trials that may be disturbed.

#include <cstddef>
#include <functional>
#include <optional>

namespace takt::pipeline {

struct RateSearchOptions {
  /// Where to begin.
  double first_hz = 1;
  /// The search ends when the least rate that failed is at most this much above the highest that held.
  double resolution = 0.02;
  /// So many trials in a row must hold at the rate that is given. A rate fails when it fails twice in a row:
  /// one disturbed trial is not the pipeline.
  std::size_t repetitions = 3;
  std::size_t most_trials = 60;
};

struct RateSearchResult {
  /// Nothing when no rate above a thousandth of the first one held.
  std::optional<double> highest_hz;
  /// The least rate known to fail; nothing when none did.
  std::optional<double> failed_hz;
  std::size_t trials = 0;
  /// Whether the two are as close as asked for, and the highest one held `repetitions` times in a row; not
  /// when the trials ran out or somebody stopped the search.
  bool is_complete = false;
};

/// The throughput of RFC 2544, section 26.1, by bisection: from the first rate in steps of a quarter to a
/// rate that holds and one that fails, then the geometric mean of both until they are close, and at last the
/// highest one again as often as asked for; when that fails, the search goes on below it. A trial holds or
/// not; nothing stops the search. About log2(0.25 / resolution) + repetitions + 2 trials.
[[nodiscard]] RateSearchResult find_highest_rate(
    const std::function<std::optional<bool>(double hertz)>& trial, const RateSearchOptions& options);

/// Of a search that nothing disturbs: for telling how much is left.
[[nodiscard]] std::size_t usual_trials(const RateSearchOptions& options);

}  // namespace takt::pipeline
