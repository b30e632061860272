#pragma once
/// The report of a run: all figures that a user acts on.

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
    /// Number of ranks that process a frame together; runs and times are those of the first one.
    std::size_t group = 1;
    Counts<Scope::task> counts = {};
    FigureValues<Scope::task> figures = {};
  };
  /// Frames that wait between a task and one of its inputs; both are indices of `tasks`.
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
    /// Waits for other ranks and for own sources. In the rest of `starved` the rank waited for the other
    /// ranks to end, or to change the plan.
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
    /// Counters of this kind of source, without those of channels.
    std::vector<sensors::Counter> details;
    /// Capacity of its queue in frames; 0: no queue.
    std::uint64_t queue_frames = 0;
    std::vector<sensors::ChannelLatency> channels;
    /// Age of the data, if measured.
    LatencyQuantiles age;
    Time mean_age{0};
  };

  /// A device, the names of its tasks, and its load: planned at `planned_hz`, and at the sustained
  /// throughput.
  struct Device {
    std::string name;
    std::size_t units = 1;
    std::vector<std::string> tasks;
    Time work{0};
    double planned_load = 0;
    std::optional<double> load;
  };

  std::string pipeline, scheduler, objective, limit;
  /// Frames per iteration of the schedule: above 1, stateless tasks run on several ranks.
  std::uint32_t replicas = 1;
  /// Tasks of one iteration work on different frames.
  bool is_pipelined = false;
  std::vector<std::string> notes;
  std::string failure;

  /// Number of changes of plan.
  std::size_t plan_changes = 0;
  /// Since the last change of plan: the sustained rate, if enough frames arrived, and dropped frames.
  struct SinceChange {
    std::optional<double> sustained_hz;
    std::uint64_t dropped = 0;
  };
  std::optional<SinceChange> since_change;
  /// Parameters that the user changed during the run.
  std::vector<MadeChange> changes;
  /// Each led to a restart. Counts of frames are those of the whole run; rates, latencies and times those
  /// since the last restart.
  std::vector<Outage> outages;

  FigureValues<Scope::run> figures;
  /// Whether kernels absorbed more than the inputs of one result that the end of the stream left unfinished.
  bool absorbs = false;
  /// Differences between the frames that one task produced and the next one consumed: faults of takt.
  std::vector<std::string> miscounts;
  /// Kernels whose outputs stand for more source frames than they consumed.
  std::vector<std::string> overstatements;
  /// RunPlan::trial_hz.
  std::optional<Spread> trial_hz;
  /// Throughput of the planned shares of the ranks: the required one, if predicted to be held.
  double planned_hz = 0;
  /// Quantiles at the slowest sink per frame. Sinks with few frames do not count if another one has more.
  LatencyQuantiles latency;
  /// RunPlan::required_latency_ns with its quantile.
  std::optional<LatencyLimit> latency_limit;
  /// Of the sink with the longest prediction: the time of a frame that never waits, after a source that is
  /// slower than the ranks.
  PredictedLatency predicted_latency;
  std::vector<Rank> ranks;
  std::vector<Task> tasks;
  std::vector<Edge> edges;
  std::vector<Source> sources;
  std::vector<Output> outputs;
  std::vector<Device> devices;

  /// Whether the required rate was held: no frame dropped or discarded, and sustained at most 1 % below it;
  /// nothing without a required rate or a measured one.
  [[nodiscard]] std::optional<bool> held() const;
  /// Whether the required latency was held at its quantile; nothing without one, or without frames.
  [[nodiscard]] std::optional<bool> holds_latency() const;
  /// Whether the required rate was not sustained.
  [[nodiscard]] bool is_slow() const;
  /// Whether frames lost before the pipeline explain most of a missed rate.
  [[nodiscard]] bool loses_rate() const;
  [[nodiscard]] bool is_miscounted() const { return !miscounts.empty() || !overstatements.empty(); }
  /// Returns why the rate was not held: `3 frames were dropped, 2.4 % too slow`; empty otherwise.
  [[nodiscard]] std::string why_not_held() const;
  [[nodiscard]] bool is_held_up_by_source() const;
  /// Whether the ranks sustained a quarter more than predicted, or their capacity was a quarter less; false
  /// after too few frames.
  [[nodiscard]] bool differs_from_prediction() const;
  /// Returns the findings of `--strict`, a sentence each: dropped or miscounted frames; a required rate or
  /// latency that was not held or not measured; a throughput below the predicted one by more than this share
  /// (a capacity, if the source limited the run). A run of few frames, whose first ones are expensive, and a
  /// run with changes of plan do not judge the prediction.
  [[nodiscard]] std::vector<std::string> shortcomings(double tolerance) const;
  /// Returns those that the verdict does not name.
  [[nodiscard]] std::vector<std::string> further_shortcomings(double tolerance) const;
};

[[nodiscard]] Report make_report(const RunRecord& record);

// What a report says about the run as a whole, with the methods of Report in report_judgement.cpp.

/// Notes a sustained rate far above the prediction: the choice of the plan relied on wrong figures.
void note_fast_run(Report& report);
/// Notes a capacity below the prediction in a run of idle ranks.
void note_idle_ranks(Report& report);

/// Returns the text report: verdict, frames, rates, latencies, outputs and notes; `is_verbose` adds the
/// tables of tasks and ranks, counters of sources and sinks, and the origin of predictions.
[[nodiscard]] std::string to_text(const Report& report, bool is_verbose = false);
/// Returns the state of an active run for a screen of 24 lines of 80 letters: the busiest ranks, the most
/// expensive tasks, and the main figures.
[[nodiscard]] std::string to_short_text(const Report& report);
/// Returns the JSON of `takt run --report`, documented in docs/reference/report.md.
[[nodiscard]] std::string to_json(const Report& report);

}  // namespace takt::pipeline
