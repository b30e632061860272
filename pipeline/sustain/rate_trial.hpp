#pragma once
/// A run of a pipeline whose source gives frames at a rate that somebody else chooses.

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

/// What became of the frames of one trial.
struct RateTrial {
  /// Frames a second that the source gave; 0: as fast as they were taken.
  double offered_hz = 0;
  std::optional<double> sustained_hz;
  std::uint64_t ingested = 0, delivered = 0, lost = 0, dropped = 0, incomplete = 0;
  /// Report::latency.
  LatencyQuantiles latency;
  /// Why the rate does not hold; empty where it does: every frame came to every sink, and as fast as they
  /// were meant to be offered. A sender that is held up offers less than that (RFC 2285, 3.5.1 and 3.5.2:
  /// intended and offered load): by the pipeline, which then does not sustain the rate, or by itself.
  std::string fault;
  /// Whether the pipeline could have taken more than its sender gave: then the fault is the sender's.
  bool is_senders_fault = false;
  /// Somebody ended it: then it says nothing of the rate.
  bool was_interrupted = false;
  /// The share of the time in which a rank was ready and others had its processor, of the rank where that was
  /// the most; nothing where nobody can tell, or ranks share processors.
  std::optional<double> delayed = {};
  static constexpr double worth_saying = 0.03;

  [[nodiscard]] bool holds() const { return fault.empty(); }
  [[nodiscard]] bool was_disturbed() const { return delayed.value_or(0) >= worth_saying; }
};

struct TrialOptions {
  /// How long the stream lasts; longer where so few frames would come.
  Time duration{std::chrono::seconds{3}};
  std::uint64_t least_frames = 50;
  /// How far the sustained rate may be below the offered one.
  double tolerance = 0.01;
  /// Where senders to live sources come up; nothing: on this computer.
  std::optional<std::string> emulator_host;
  std::function<void(const RunRecord&)> on_progress;
};

/// Words of `takt run` that have the pipeline's sources give frames at this rate, as far as they can be told
/// to; at 0 as fast as they are taken.
[[nodiscard]] std::vector<std::string> words_of_rate(const Pipeline& pipeline, double hertz);

/// Throws ConfigError where nothing, neither a source nor an emulated sender to it, can give the frames of
/// trials at the rate that they ask for.
void check_rates_can_be_chosen(const Pipeline& pipeline);

/// Whether frames may also be offered as fast as they are taken.
[[nodiscard]] bool can_saturate(const Pipeline& pipeline);

/// What a user should know of sinks that trials leave as they are, a sentence each: what they send reaches
/// whoever listens, since sending is part of what a pipeline does.
[[nodiscard]] std::vector<std::string> warnings_of_trials(const Pipeline& pipeline);

/// Runs one schedule of a pipeline again and again. Outputs go to a folder of their own among the temporary
/// files, which is gone with it, and so are the user's files left alone; sinks that send do send. Each source
/// that receives what others send is sent to by an emulated sender.
class TrialBed {
 public:
  /// `run` is the command line of a run of the pipeline without a schedule. Throws ConfigError as
  /// check_rates_can_be_chosen does.
  TrialBed(const Pipeline& pipeline, std::vector<std::string> run, const PipelinePlan& plan,
           TrialOptions options);
  TrialBed(const TrialBed&) = delete;
  TrialBed& operator=(const TrialBed&) = delete;

  [[nodiscard]] const Pipeline& pipeline() const { return pipeline_; }
  /// Throws WorkError or ConfigError when the run fails.
  [[nodiscard]] RateTrial run(double hertz) const;

 private:
  [[nodiscard]] std::vector<std::string> arguments(double hertz, Time duration) const;
  /// Removes what the last trial wrote, where that is on this computer.
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
