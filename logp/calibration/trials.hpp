#pragma once
/// Tries a fitted link out: measures what it was not fitted to, beside the predictions.

#include <functional>
#include <optional>
#include <vector>

#include "logp/calibration/coordinator.hpp"
#include "logp/calibration/hold_out.hpp"
#include "logp/calibration/link_fit.hpp"

namespace takt::logp {

struct TrialOptions {
  /// Sizes for the ping-pongs, and for the bursts.
  std::size_t sizes = 8;
  /// Random schedules.
  std::size_t replays = 3;
  /// Places in memory that lone messages go round, and messages of a burst at most, as while they were
  /// measured (link_campaign.hpp).
  std::size_t slots = 8;
  std::size_t longest_burst = 32;
  Samples samples = Samples::quiet;
  /// Whether to look at the machine's state before each visit.
  bool looks_at_state = false;
  std::uint64_t seed = 1;
};

/// Ping-pongs and bursts of sizes that were not measured, fan-ins where there are three ranks or more (those
/// of the link, on cores of their own), and replays of random schedules on all these ranks. They are visited
/// between the rounds of a campaign (link_campaign.hpp), so that both meet the machine in the same states:
/// what a neighbour does to caches and memory for some seconds spoils few visits of either.
class TrialCampaign {
 public:
  /// No trials where the fit reaches less than a kilobyte.
  TrialCampaign(Coordinator& coordinator, std::vector<int> ranks, const LinkFit& fit,
                const TrialOptions& options);

  /// The largest size that the fit reached; 0 without trials.
  [[nodiscard]] Bytes reach() const { return trials_.empty() ? Bytes{0} : reach_; }
  /// How often each trial was visited.
  [[nodiscard]] int visits() const { return visits_; }

  /// Visits each trial once.
  void visit(const std::function<void()>& on_progress);

  /// Beside what this fit predicts, of the sizes that it reaches and that are at no step of it: the median of
  /// the quieter half of those visits that were undisturbed, and in this state of the machine.
  [[nodiscard]] std::vector<Trial> judged(const LinkFit& fit, const MachineState& state) const;

 private:
  /// A trial under way.
  struct Running {
    Trial trial;
    Command command;
    std::function<double(const LinkFit&)> predict;
    std::function<std::optional<double>(const LinkFit&)> by_gap;
    /// From the median of the visits to the time that is predicted.
    std::function<double(double, const LinkFit&)> extract;
    std::vector<Visit> visits;
  };

  [[nodiscard]] Running ping_pong(const LinkFit& fit, Bytes size) const;
  [[nodiscard]] Running burst(const LinkFit& fit, Bytes size, std::uint64_t count) const;
  [[nodiscard]] Running fan_in(const LinkFit& fit, Bytes size, std::uint64_t count) const;
  [[nodiscard]] Running replay(const LinkFit& fit, std::uint64_t seed) const;

  Coordinator& coordinator_;
  std::vector<int> ranks_, pair_;
  TrialOptions options_;
  Bytes reach_;
  int visits_ = 0;
  std::vector<Running> trials_;
};

}  // namespace takt::logp
