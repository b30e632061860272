#pragma once
/// Tries a fitted link out: measures what it was not fitted to, beside the predictions.

#include <chrono>
#include <functional>

#include "logp/calibration/coordinator.hpp"
#include "logp/calibration/hold_out.hpp"
#include "logp/calibration/link_fit.hpp"

namespace takt::logp {

struct TrialOptions {
  /// Sizes for the ping-pongs, and for the bursts.
  std::size_t sizes = 8;
  /// Random schedules.
  std::size_t replays = 3;
  /// Undisturbed visits to each trial, and to one that misses its prediction by more than the tolerance: a
  /// neighbour who fills caches for some seconds is not the machine, while a prediction that is wrong stays
  /// so.
  std::size_t visits = 9;
  std::size_t most_visits = 45;
  double tolerance = 0.25;
  /// Places in memory that lone messages go round, as while they were measured (link_campaign.hpp).
  std::size_t slots = 8;
  Samples samples = Samples::quiet;
  /// The state in which the link was measured; visits in another one do not count. Looked at where
  /// `looks_at_state`.
  MachineState state;
  bool looks_at_state = false;
  std::uint64_t seed = 1;
};

/// Ping-pongs and bursts of sizes that were not measured, fan-ins where there are three ranks or more (those
/// of the link, on cores of their own), and replays of random schedules on all these ranks. Visits the
/// trials in turn until each has enough undisturbed visits, or until `at_the_latest`; what counts is the
/// median of the quieter half of them. None for a fit that reaches less than a kilobyte.
[[nodiscard]] std::vector<Trial> run_trials(Coordinator& coordinator, const std::vector<int>& ranks,
                                            const LinkFit& fit, const TrialOptions& options,
                                            std::chrono::steady_clock::time_point at_the_latest,
                                            const std::function<void()>& on_progress);

}  // namespace takt::logp
