#pragma once
/// Trials of a fitted link: compares hold-out measurements with predictions.

#include <functional>
#include <optional>
#include <vector>

#include "logp/calibration/coordinator.hpp"
#include "logp/calibration/hold_out.hpp"
#include "logp/calibration/link_fit.hpp"

namespace takt::logp {

struct TrialOptions {
  /// Number of sizes for the ping-pongs, and for the bursts.
  std::size_t sizes = 8;
  /// Number of random schedules.
  std::size_t replays = 3;
  /// Number of memory slots of single messages, and largest number of messages of a burst, as in the
  /// measurements (link_campaign.hpp).
  std::size_t slots = 8;
  std::size_t longest_burst = 32;
  Samples samples = Samples::quiet;
  /// Whether to measure the machine's state before each visit.
  bool looks_at_state = false;
  std::uint64_t seed = 1;
};

/// Ping-pongs and bursts of unmeasured sizes, fan-ins on three ranks or more (those of the link, on separate
/// cores), and replays of random schedules on all these ranks. Visits alternate with the iterations of a
/// campaign (link_campaign.hpp), so that both meet the same machine states: a disturbance of caches and
/// memory for some seconds spoils few visits of either.
class TrialCampaign {
 public:
  /// No trials if the fit ends below a kilobyte.
  TrialCampaign(Coordinator& coordinator, std::vector<int> ranks, const LinkFit& fit,
                const TrialOptions& options);

  /// Returns the largest size of the fit; 0 without trials.
  [[nodiscard]] Bytes reach() const { return trials_.empty() ? Bytes{0} : reach_; }
  /// Returns the number of visits of each trial.
  [[nodiscard]] int visits() const { return visits_; }

  /// Visits each trial once.
  void visit(const std::function<void()>& on_progress);

  /// Compares the fit's predictions, for sizes within its range and away from its steps, with the median of
  /// the quieter half of the undisturbed visits in this state of the machine.
  [[nodiscard]] std::vector<Trial> judged(const LinkFit& fit, const MachineState& state) const;

 private:
  /// A trial in progress.
  struct Running {
    Trial trial;
    Command command;
    std::function<double(const LinkFit&)> predict;
    std::function<std::optional<double>(const LinkFit&)> by_gap;
    /// Converts the median of the visits to the predicted time.
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
