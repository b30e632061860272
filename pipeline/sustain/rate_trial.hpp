#pragma once
/// Runs a pipeline whose source produces frames at a chosen rate.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/config/pipeline.hpp"
#include "pipeline/planning/pipeline_plan.hpp"
#include "pipeline/protocol/locked_folder.hpp"
#include "pipeline/protocol/run_record.hpp"
#include "pipeline/report/latency_quantiles.hpp"
#include "pipeline/sustain/emulated_senders.hpp"

namespace takt::pipeline {

/// Results of one trial.
struct RateTrial {
  /// Offered rate in frames/s; 0: as fast as frames are consumed.
  double offered_hz = 0;
  std::optional<double> sustained_hz;
  std::uint64_t ingested = 0, delivered = 0, lost = 0, dropped = 0, incomplete = 0;
  /// Report::latency.
  LatencyQuantiles latency;
  /// Why the rate does not hold; empty if every frame reached every sink at the intended rate, and within the
  /// limit of the latency. A sender that
  /// is slowed down offers less than intended (RFC 2285, 3.5.1 and 3.5.2: intended and offered load): either
  /// the pipeline does not sustain the rate, or the sender itself is too slow.
  std::string fault;
  /// True if the pipeline could have processed more than its sender offered: the sender is at fault.
  bool is_senders_fault = false;
  /// True if the latency is above its limit; then the rate is not at fault if a far lower one is, too.
  bool is_late = false;
  /// True if the trial was stopped: it has no result.
  bool was_interrupted = false;
  /// Share of the time in which a rank was ready while other processes had its processor; the largest one of
  /// all ranks. Nothing if not measured, or if ranks share processors.
  std::optional<double> delayed = {};
  static constexpr double worth_saying = 0.03;

  [[nodiscard]] bool holds() const { return fault.empty(); }
  [[nodiscard]] bool was_disturbed() const { return delayed.value_or(0) >= worth_saying; }
};

struct TrialOptions {
  /// Length of the stream; longer if it would have fewer than least_frames.
  Time duration{std::chrono::seconds{3}};
  std::uint64_t least_frames = 50;
  /// Accepted relative shortfall of the sustained rate below the offered one.
  double tolerance = 0.01;
  /// A rate holds only within this limit.
  std::optional<LatencyLimit> latency_limit = {};
  /// Host of the senders to live sources; nothing: this computer.
  std::optional<std::string> emulator_host;
  std::function<void(const RunRecord&)> on_progress;
};

/// Returns options of `takt run` that set the pipeline's sources to this rate as far as possible; 0: as fast
/// as frames are consumed.
[[nodiscard]] std::vector<std::string> words_of_rate(const Pipeline& pipeline, double hertz);

/// Throws ConfigError if neither a source nor an emulated sender can produce frames at the rate of
/// trials.
void check_rates_can_be_chosen(const Pipeline& pipeline);

/// Returns true if frames may also be offered as fast as they are consumed.
[[nodiscard]] bool can_saturate(const Pipeline& pipeline);

/// Returns warnings about sinks that trials leave active, one sentence each: frames sent to other programs
/// really reach them, because sending is part of the pipeline's work.
[[nodiscard]] std::vector<std::string> warnings_of_trials(const Pipeline& pipeline);

/// Runs one schedule of a pipeline repeatedly. Outputs go to a temporary directory that is removed
/// afterwards, so the user's files remain untouched; sinks that send frames do send. Emulated senders replace
/// the senders of live sources.
class TrialBed {
 public:
  /// `run` is the command line of a run of the pipeline without a schedule. Throws ConfigError like
  /// check_rates_can_be_chosen.
  TrialBed(const Pipeline& pipeline, std::vector<std::string> run, const PipelinePlan& plan,
           TrialOptions options);
  TrialBed(const TrialBed&) = delete;
  TrialBed& operator=(const TrialBed&) = delete;

  [[nodiscard]] const Pipeline& pipeline() const { return pipeline_; }
  /// Throws WorkError or ConfigError when the run fails.
  [[nodiscard]] RateTrial run(double hertz) const;

 private:
  [[nodiscard]] std::vector<std::string> arguments(double hertz, Time duration) const;
  /// Removes the output of the last trial on this computer.
  void remove_outputs() const;

  const Pipeline& pipeline_;
  /// Indices of the sources.
  std::vector<std::size_t> sources_;
  std::vector<std::string> run_;
  TrialOptions options_;
  EmulatedSenders senders_;
  LockedFolder folder_;
};

}  // namespace takt::pipeline
