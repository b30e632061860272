#pragma once
/// The highest rate that a pipeline sustains without loss, beside the predicted one, and its latency below
/// it.

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
  /// What the source gave when frames were taken as fast as possible; nothing where it cannot be asked to.
  std::optional<RateTrial> saturated;
  RateSearchResult rate;
  /// All trials of the search, in their order.
  std::vector<RateTrial> trials;
  /// One at each of several shares of the highest rate, ascending.
  std::vector<RateTrial> curve;
  /// Why the search ended before it was done, where a trial failed; empty otherwise.
  std::string failure;

  /// Whether the required rate is at most the highest one; nothing without one.
  [[nodiscard]] std::optional<bool> holds_required() const;
};

struct SustainOptions {
  TrialOptions trial;
  /// Where to begin is found by a saturated trial, or is what the plan predicts.
  RateSearchOptions search;
  /// Trials of the curve, evenly spread up to the highest rate.
  std::size_t curve_points = 5;
  /// Called after each trial; false ends the search.
  std::function<bool(const RateTrial&)> on_trial;
};

/// Searches as RFC 2544 does (rate_search.hpp): frames of every trial count from the first one on; the
/// saturated trial, which comes first, warms up what outlasts a run. A trial that fails (WorkError) ends the
/// search; throws what TrialBed throws otherwise.
[[nodiscard]] SustainedRate find_sustained_rate(const TrialBed& bed, const RunPlan& plan,
                                                const SustainOptions& options);

/// For people; for programs (docs/reference/cli.md); all trials, a row each; latency over offered rate.
[[nodiscard]] std::string to_text(const SustainedRate& found);
[[nodiscard]] std::string to_json(const SustainedRate& found);
[[nodiscard]] std::string to_csv(const SustainedRate& found);
[[nodiscard]] std::string to_svg(const SustainedRate& found);

}  // namespace takt::pipeline
