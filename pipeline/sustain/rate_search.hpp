#pragma once
/// The highest rate that holds, found by trials that may be disturbed.

#include <cstddef>
#include <functional>
#include <optional>

namespace takt::pipeline {

/// What a trial says of its rate.
struct RateVerdict {
  /// A bool is one, of a trial that nobody disturbed.
  RateVerdict(bool it_holds, bool was_disturbed_too = false)
      : holds(it_holds), was_disturbed(was_disturbed_too) {}
  bool holds = false;
  /// Others had the ranks' processors meanwhile: where it failed, that may be why.
  bool was_disturbed = false;
};

struct RateSearchOptions {
  /// Where to begin.
  double first_hz = 1;
  /// The search ends when the least rate that failed is at most this much above the highest that held.
  double resolution = 0.02;
  /// So many trials in a row must hold at the rate that is given. A rate fails when it fails twice in a row:
  /// one disturbed trial is not the pipeline.
  std::size_t repetitions = 3;
  std::size_t most_trials = 60;
  /// How often the search looks again at the rate that failed where it ends, if it failed in trials that are
  /// known to have been disturbed: the disturbance may have passed.
  std::size_t second_looks = 3;
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
/// highest one again until it has held as often in a row as asked for; when it fails twice in a row, the
/// search goes on below it. Where the rate that
/// failed holds in a second look, it goes on above. Nothing stops the search. About log2(0.25 / resolution) +
/// repetitions + 2 trials.
[[nodiscard]] RateSearchResult find_highest_rate(
    const std::function<std::optional<RateVerdict>(double hertz)>& trial, const RateSearchOptions& options);

/// Of a search that nothing disturbs: for telling how much is left.
[[nodiscard]] std::size_t usual_trials(const RateSearchOptions& options);

}  // namespace takt::pipeline
