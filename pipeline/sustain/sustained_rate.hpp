#pragma once
/// Finds the highest rate that a pipeline sustains without loss, next to the predicted one, and the latency
/// below that rate.

#include <functional>
#include <string>
#include <vector>

#include "pipeline/planning/run_plan.hpp"
#include "pipeline/sustain/rate_search.hpp"
#include "pipeline/sustain/rate_trial.hpp"

namespace takt::pipeline {

struct SustainedRate {
  RunPlan plan;
  TrialOptions trial;
  RateSearchOptions search;
  /// The rate when frames were consumed as fast as possible; nothing if the source does not support it.
  std::optional<RateTrial> saturated;
  RateSearchResult rate;
  /// All trials of the search, in their order.
  std::vector<RateTrial> trials;
  /// One trial at each of several shares of the highest rate, ascending.
  std::vector<RateTrial> curve;
  /// Why the search ended early, if a trial failed; otherwise empty.
  std::string failure;

  /// Returns true if the required rate is at most the highest one; nothing without a required rate.
  [[nodiscard]] std::optional<bool> holds_required() const;
};

struct SustainOptions {
  TrialOptions trial;
  /// The first rate is set from a saturated trial or from the prediction of the plan.
  RateSearchOptions search;
  /// Number of trials of the curve, evenly spread up to the highest rate.
  std::size_t curve_points = 5;
  /// Called after each trial; returns false to end the search.
  std::function<bool(const RateTrial&)> on_trial;
};

/// Searches like RFC 2544 (rate_search.hpp). The frames of every trial count from the first one on; the
/// saturated trial comes first and warms up state that outlasts a run. With a limit of the latency, a tenth
/// of the first rate is tried next: if it exceeds the limit twice, no rate is searched. A failed trial
/// (WorkError) ends the search; otherwise throws what TrialBed throws.
[[nodiscard]] SustainedRate find_sustained_rate(const TrialBed& bed, const RunPlan& plan,
                                                const SustainOptions& options);

/// For users; for programs (docs/reference/cli.md); all trials as rows.
[[nodiscard]] std::string to_text(const SustainedRate& found);
[[nodiscard]] std::string to_json(const SustainedRate& found);
[[nodiscard]] std::string to_csv(const SustainedRate& found);

}  // namespace takt::pipeline
