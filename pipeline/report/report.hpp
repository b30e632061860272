#pragma once
/// What became of a run: the figures that a user acts on, with nothing left out.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/launch/launcher.hpp"
#include "pipeline/protocol/figure_values.hpp"
#include "pipeline/report/latency_quantiles.hpp"
#include "sensors/frames/channel_latency.hpp"
#include "sensors/source.hpp"

namespace takt::pipeline {

struct Report {
  struct Task {
    std::string name, type, kind;
    std::vector<std::size_t> ranks;
    /// How many of the ranks work at a frame together; runs and times are those of the first of them.
    std::size_t group = 1;
    Counts<Scope::task> counts = {};
    FigureValues<Scope::task> figures = {};
  };
  /// The frames that wait between a task and one of its inputs, both by their place in `tasks`.
  struct Edge {
    std::size_t task = 0, input = 0;
    FigureValues<Scope::edge> figures = {};
  };
  struct Rank {
    std::string host;
    std::int64_t pid = 0;
    bool has_reported = false;
    Counts<Scope::rank> counts;
    FigureValues<Scope::rank> figures;
    /// For which ranks and which of its sources it waited. What is left of `starved` it waited for the other
    /// ranks to end, also where they did so to go by another plan.
    struct Wait {
      int rank = 0;
      Counts<Scope::peer> counts;
      FigureValues<Scope::peer> figures;
    };
    std::vector<Wait> waits;
    struct SourceWait {
      std::size_t stage = 0;
      Counts<Scope::intake> counts;
      FigureValues<Scope::intake> figures;
    };
    std::vector<SourceWait> source_waits;

    [[nodiscard]] double for_sources() const {
      double share = 0;
      for (const SourceWait& wait : source_waits) share += wait.figures.value("starved");
      return share;
    }
    [[nodiscard]] double busy() const { return figures.value("utilisation"); }
  };
  /// PlannedStage::latency_ns, costs_latency_ns and trial_latency_ns.
  struct PredictedLatency {
    Time median{0};
    std::optional<Time> by_costs;
    std::optional<Spread> trial_ns;
  };
  struct Output {
    std::string sink, location;
    Counts<Scope::sink> counts;
    FigureValues<Scope::sink> figures;
    LatencyQuantiles latency;
    PredictedLatency predicted_latency;
    std::vector<sensors::Counter> counters;
  };
  struct Source {
    std::string name;
    Counts<Scope::source> counts;
    FigureValues<Scope::source> figures;
    /// Counters that its kind names itself, without those of channels.
    std::vector<sensors::Counter> details;
    /// Room for frames in its queue; 0: it has none.
    std::uint64_t queue_frames = 0;
    std::vector<sensors::ChannelLatency> channels;
    /// Of its data, where it is measured.
    LatencyQuantiles age;
    Time mean_age{0};
  };

  std::string pipeline, scheduler, objective, limit;
  /// Frames in one repetition of the schedule: above 1, stateless tasks run on several ranks.
  std::uint32_t replicas = 1;
  /// Tasks of one iteration work on different frames.
  bool is_pipelined = false;
  std::vector<std::string> notes;
  std::string failure;

  /// How often the run changed over to another plan.
  std::size_t plan_changes = 0;
  /// Since the last change of plan: the sustained rate, where enough frames came, and dropped frames.
  struct SinceChange {
    std::optional<double> sustained_hz;
    std::uint64_t dropped = 0;
  };
  std::optional<SinceChange> since_change;
  /// Parameters that the user has changed meanwhile.
  std::vector<MadeChange> changes;
  /// After which the run was started again. Frames are then those of the whole run; rates, latencies and
  /// times those since the last one.
  std::vector<Outage> outages;

  FigureValues<Scope::run> figures;
  /// Whether kernels absorbed more than the beginning of a frame that the end of the stream left unfinished.
  bool absorbs = false;
  /// Where one task gave more or fewer frames than the next one took: none, unless takt itself is wrong.
  std::vector<std::string> miscounts;
  /// Kernels that gave frames which stand for more of the source's than they had taken.
  std::vector<std::string> overstatements;
  /// RunPlan::trial_hz.
  std::optional<Spread> trial_hz;
  /// At which frequency the ranks' planned shares are: the required one where it is predicted to be held.
  double planned_hz = 0;
  /// Each at the sink where it is the longest; sinks that hardly a frame came to do not count where several
  /// came to another one.
  LatencyQuantiles latency;
  /// RunPlan::required_latency_ns with its quantile.
  std::optional<LatencyLimit> latency_limit;
  /// Of the sink, among these, of which the longest one is predicted: what a frame takes that waits for
  /// nothing, where the source gives fewer frames than the ranks could take.
  PredictedLatency predicted_latency;
  std::vector<Rank> ranks;
  std::vector<Task> tasks;
  std::vector<Edge> edges;
  std::vector<Source> sources;
  std::vector<Output> outputs;

  /// Whether the required rate was held: no frame dropped or absorbed for good, and sustained within 1 % of
  /// it; nothing without a required rate or a measured one.
  [[nodiscard]] std::optional<bool> held() const;
  /// Whether the required latency was held at its quantile; nothing without one, or without frames.
  [[nodiscard]] std::optional<bool> holds_latency() const;
  /// Whether the required rate was not sustained.
  [[nodiscard]] bool is_slow() const;
  /// Whether frames lost before the pipeline explain most of that.
  [[nodiscard]] bool loses_rate() const;
  [[nodiscard]] bool is_miscounted() const { return !miscounts.empty() || !overstatements.empty(); }
  /// Why not, where it was not: `3 frames were dropped, 2.4 % too slow`; empty otherwise.
  [[nodiscard]] std::string why_not_held() const;
  [[nodiscard]] bool is_held_up_by_source() const;
  /// Whether the ranks sustained a quarter more than predicted, or their capacity was a quarter less, in
  /// enough frames to say.
  [[nodiscard]] bool differs_from_prediction() const;
  /// What a strict user would not put up with, a sentence each: frames that were dropped or
  /// miscounted, a required rate or latency that was not held, or that no measurement can tell, less than the
  /// predicted frequency by more than this share of it, or a capacity so much below it where a source gave no
  /// more. The prediction is not judged by few frames, of which the first ones are expensive, nor where the
  /// plan was changed meanwhile: it is the last plan's.
  [[nodiscard]] std::vector<std::string> shortcomings(double tolerance) const;
  /// Those of them that the verdict does not name.
  [[nodiscard]] std::vector<std::string> further_shortcomings(double tolerance) const;
};

[[nodiscard]] Report make_report(const RunRecord& record);

/// For people: the verdict, frames, rates, latencies, outputs and notes; `is_verbose` adds the tables of
/// tasks and ranks, counters of sources and sinks, and where predictions come from.
[[nodiscard]] std::string to_text(const Report& report, bool is_verbose = false);
/// What fits a screen of 24 lines of 80 letters: the busiest ranks and the most expensive tasks, and the
/// report's main figures, for a run that goes on.
[[nodiscard]] std::string to_short_text(const Report& report);
/// For programs: the fixed form of `takt run --report`, documented in docs/reference/report.md.
[[nodiscard]] std::string to_json(const Report& report);

}  // namespace takt::pipeline
