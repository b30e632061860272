#pragma once
/// The table of figures: what ranks count and reports show, one row a figure.
///
/// Messages of ranks, the JSON report, metrics, the live page, the tables of the verbose report and the
/// tables in docs/reference are made from it. A new figure is a row here, and `counts["name"]` or
/// `figures["name"]` at the place that knows its value (figure_values.hpp).

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace takt::pipeline {

/// Subject of a figure. Rows of a scope are consecutive.
enum class Scope : std::uint8_t {
  run,
  rank,
  /// A rank and another rank that it waits for.
  peer,
  /// A rank and one of its sources.
  intake,
  task,
  /// A task and one of its inputs.
  edge,
  source,
  sink
};

enum class Unit : std::uint8_t { count, flag, ns, bytes, hertz, share };

/// Rule that merges the values of several ranks.
enum class Merge : std::uint8_t {
  sum,
  most,
  /// The least value that is not 0: a moment, where 0 means that it has not come.
  first,
  /// Durations: the buckets of all Histograms.
  histogram,
  /// Ranks do not send it: the report computes it.
  computed
};

/// Form of a count in the report. Metrics show the count itself.
enum class Shown : std::uint8_t {
  value,
  /// As a share of the time of the rank's loop, and of the time that its thread was watched.
  share_of_loop,
  share_of_watch,
  mean_per_run
};

struct Figure {
  /// Unique in its scope.
  std::string_view name;
  Scope scope = Scope::run;
  Unit unit = Unit::count;
  Merge merge = Merge::computed;
  Shown shown = Shown::value;
  /// Key in the JSON report within its scope, parts separated by dots; empty: not in the report.
  std::string_view key = {};
  /// Name for Prometheus, then labels: `name=value`, or a label that the scope has (metrics.cpp); empty:
  /// none.
  std::string_view metric = {};
  /// Heading in the tables of the verbose report, and on the live page; empty: not there.
  std::string_view column = {}, page = {};
  /// One line of Markdown without links; its first sentence describes the metric.
  std::string_view help = {};
};

inline constexpr auto figure_table = std::to_array<Figure>({
    {.name = "ingested",
     .key = "frames.ingested",
     .metric = "takt_frames_ingested_total",
     .page = "ingested",
     .help = "Frames that entered the pipeline from its sources. With `--frames N`, N, without those still "
             "queued."},
    {.name = "delivered",
     .key = "frames.delivered",
     .metric = "takt_frames_delivered_total",
     .page = "delivered",
     .help = "Frames that reached every sink, alone or gathered into others (`combined` in the header)."},
    {.name = "absorbed",
     .key = "frames.absorbed",
     .help = "Consumed frames without output at the sink with the fewest: an unfinished result at end of "
             "stream, or frames that a kernel discards."},
    {.name = "lost",
     .key = "frames.lost",
     .metric = "takt_frames_lost_total",
     .page = "lost",
     .help = "Frames of which nothing arrived at a source."},
    {.name = "dropped",
     .key = "frames.dropped",
     .metric = "takt_frames_dropped_total",
     .page = "dropped",
     .help = "Frames that arrived and were discarded: at a source because of back-pressure, or on the way "
             "because the run was aborted."},
    {.name = "is_least",
     .unit = Unit::flag,
     .key = "frames.is_least",
     .help = "A rank with a sink died before its last report: at least as many frames were `delivered`, at "
             "most as many `dropped`."},
    {.name = "incomplete",
     .key = "frames.incomplete",
     .metric = "takt_frames_incomplete_total",
     .page = "incomplete",
     .help = "Ingested frames with missing parts. Of joined sources the sum, so that a frame may count once "
             "per source."},
    {.name = "under_way",
     .metric = "takt_frames_under_way",
     .help = "Ingested frames that have not reached every sink."},
    {.name = "sustained",
     .unit = Unit::hertz,
     .key = "frequency_hz.sustained",
     .metric = "takt_frequency_hertz kind=sustained",
     .help = "Frames/s at the slowest sink, from its first frame (with several per iteration: the last of "
             "the first iteration) to its last, without those cut off at end of stream; from then on when "
             "asynchronous tasks have filled; at most the rate at which frames came to a source at its own "
             "pace. `null` with fewer than two iterations after the first."},
    {.name = "predicted",
     .unit = Unit::hertz,
     .key = "frequency_hz.predicted",
     .metric = "takt_frequency_hertz kind=predicted",
     .help = "Throughput of the trial run of the plan. Without one, the prediction from costs: one over the "
             "period of the schedule, or less where ranks share cores."},
    {.name = "by_costs",
     .unit = Unit::hertz,
     .key = "frequency_hz.by_costs",
     .help = "The prediction from costs, where the plan had a trial run; `null` otherwise."},
    {.name = "trial_least",
     .unit = Unit::hertz,
     .key = "frequency_hz.trial.least",
     .help = "The slowest repetition of the trial run. `frequency_hz.trial` is `null` without one."},
    {.name = "trial_most",
     .unit = Unit::hertz,
     .key = "frequency_hz.trial.most",
     .help = "The fastest repetition: with `least`, the uncertainty of the prediction."},
    {.name = "required",
     .unit = Unit::hertz,
     .key = "frequency_hz.required",
     .metric = "takt_frequency_hertz kind=required",
     .help = "The pipeline's `rate`."},
    {.name = "capacity",
     .unit = Unit::hertz,
     .key = "frequency_hz.capacity",
     .metric = "takt_frequency_hertz kind=capacity",
     .help = "Estimated highest rate: 1 / the busiest rank's time per frame in tasks, messages and its loop, "
             "without output flushed at end of stream; at least `sustained`. If no rank waits for its source "
             "(3 % of the time), ranks wait for each other, and `sustained` judges the prediction. If the "
             "busiest rank worked for less than half of the time, and one waited longer for its source, this "
             "figure cannot judge the prediction, and a note says so."},
    {.name = "held",
     .unit = Unit::flag,
     .key = "held",
     .help = "Whether the required rate was held: nothing dropped or miscounted, at most the start of one "
             "result absorbed, and `sustained` at most 1 % below `required`."},
    {.name = "latency_required",
     .unit = Unit::ns,
     .key = "latency_ns.required",
     .metric = "takt_latency_required_seconds",
     .help = "The pipeline's `latency`."},
    {.name = "latency_share",
     .unit = Unit::share,
     .key = "latency_ns.required_share",
     .help = "Share of the frames that must not take longer than `required`: 0.99 for p99; `null` without a "
             "required latency."},
    {.name = "latency_held",
     .unit = Unit::flag,
     .key = "latency_held",
     .help = "Whether that share of the frames took no longer than `required`; `null` without a required "
             "latency, or without a frame at a sink."},
    {.name = "latency_p50",
     .unit = Unit::ns,
     .key = "latency_ns.p50",
     .help = "Median time from a frame's ingestion to its end in a sink, without output that kernels flush "
             "at end of stream. With several sinks, the slowest one per frame (`outputs[]` has those of "
             "each; sinks that fewer than twenty frames came to do not count where others had more). Over "
             "hosts, by the difference of their clocks, measured when the run starts."},
    {.name = "latency_p90",
     .unit = Unit::ns,
     .key = "latency_ns.p90",
     .help = "90 % of the frames took no longer."},
    {.name = "latency_p99",
     .unit = Unit::ns,
     .key = "latency_ns.p99",
     .help = "99 % of the frames took no longer."},
    {.name = "latency_max",
     .unit = Unit::ns,
     .key = "latency_ns.max",
     .help = "The longest time of a frame."},
    {.name = "latency_predicted",
     .unit = Unit::ns,
     .key = "latency_ns.predicted",
     .help = "The median in a trial run at the rate of the source (or at 0.9 of the plan's throughput, if "
             "that is less). Without one, or with a source without a rate, the prediction by costs for a "
             "frame that never waits."},
    {.name = "latency_by_costs",
     .unit = Unit::ns,
     .key = "latency_ns.by_costs",
     .help = "The prediction by costs, where `predicted` is that of a trial run; `null` otherwise."},
    {.name = "latency_trial_least",
     .unit = Unit::ns,
     .key = "latency_ns.trial.least",
     .help = "The shortest median of a repetition of that trial run; `trial` is `null` without one."},
    {.name = "latency_trial_most",
     .unit = Unit::ns,
     .key = "latency_ns.trial.most",
     .help = "The longest one."},

    {.name = "utilisation",
     .scope = Scope::rank,
     .unit = Unit::share,
     .key = "utilisation",
     .column = "busy",
     .help = "`compute` + `message` + `other`."},
    {.name = "planned_utilisation",
     .scope = Scope::rank,
     .unit = Unit::share,
     .key = "planned_utilisation",
     .column = "planned",
     .help = "Planned at the required rate, or at the predicted frequency if none is required or predicted "
             "to be held; `null` without frames."},
    {.name = "compute",
     .scope = Scope::rank,
     .unit = Unit::ns,
     .merge = Merge::sum,
     .shown = Shown::share_of_loop,
     .key = "compute",
     .metric = "takt_rank_seconds_total rank host use=compute",
     .column = "tasks",
     .page = "compute",
     .help = "Time in tasks. With the four uses that follow, the whole time of the rank: the shares add up "
             "to 1."},
    {.name = "message",
     .scope = Scope::rank,
     .unit = Unit::ns,
     .merge = Merge::sum,
     .shown = Shown::share_of_loop,
     .key = "message",
     .metric = "takt_rank_seconds_total rank host use=message",
     .column = "messages",
     .page = "messages",
     .help = "Time in sending and receiving."},
    {.name = "starved",
     .scope = Scope::rank,
     .unit = Unit::ns,
     .merge = Merge::sum,
     .shown = Shown::share_of_loop,
     .key = "starved",
     .metric = "takt_rank_seconds_total rank host use=starved",
     .page = "starved",
     .help = "Time of waiting for frames. What is in neither `waits[]` nor `source_waits[]`, the rank waited "
             "for the others to end."},
    {.name = "blocked",
     .scope = Scope::rank,
     .unit = Unit::ns,
     .merge = Merge::sum,
     .shown = Shown::share_of_loop,
     .key = "blocked",
     .metric = "takt_rank_seconds_total rank host use=blocked",
     .page = "blocked",
     .help = "Time of waiting for a free buffer at another rank."},
    {.name = "other",
     .scope = Scope::rank,
     .unit = Unit::ns,
     .merge = Merge::sum,
     .shown = Shown::share_of_loop,
     .key = "other",
     .metric = "takt_rank_seconds_total rank host use=other",
     .column = "loop",
     .page = "other",
     .help = "Time of the rank's loop itself."},
    {.name = "rest",
     .scope = Scope::rank,
     .unit = Unit::ns,
     .merge = Merge::sum,
     .help = "Of compute, message and other: time at what kernels flush at end of stream."},
    {.name = "watched",
     .scope = Scope::rank,
     .unit = Unit::ns,
     .merge = Merge::sum,
     .help = "Time in which the rank's thread was watched while it worked at frames."},
    {.name = "used",
     .scope = Scope::rank,
     .unit = Unit::ns,
     .merge = Merge::sum,
     .shown = Shown::share_of_watch,
     .key = "processor_used",
     .help = "Share of the run's time in which the rank's thread ran; `null` if the run was too short."},
    {.name = "delayed",
     .scope = Scope::rank,
     .unit = Unit::ns,
     .merge = Merge::sum,
     .shown = Shown::share_of_watch,
     .key = "processor_delayed",
     .help = "Share of the run's time in which the thread was ready while other processes had its processor; "
             "`null` if the run was too short."},
    {.name = "resident",
     .scope = Scope::rank,
     .unit = Unit::bytes,
     .merge = Merge::sum,
     .help = "Memory that the rank holds; 0: not known."},
    {.name = "resident_at_first",
     .scope = Scope::rank,
     .unit = Unit::bytes,
     .merge = Merge::sum,
     .help = "Memory that it held when its stream began."},
    {.name = "involuntary_switches",
     .scope = Scope::rank,
     .merge = Merge::sum,
     .key = "involuntary_switches",
     .metric = "takt_rank_involuntary_switches_total rank host",
     .help = "Times that the system took the processor from a thread of the rank that could have gone on."},
    {.name = "cores",
     .scope = Scope::rank,
     .merge = Merge::most,
     .key = "cores",
     .help =
         "Cores of the rank (`cores_per_rank`): the thread of its loop, and a worker for each other one."},
    {.name = "tasks",
     .scope = Scope::rank,
     .unit = Unit::ns,
     .merge = Merge::sum,
     .shown = Shown::share_of_loop,
     .key = "tasks",
     .metric = "takt_rank_tasks_seconds_total rank host",
     .help =
         "Processor time of its workers, which run tasks of its kernels. All together: above 1 if they use "
         "more than one core."},
    {.name = "workers_idle",
     .scope = Scope::rank,
     .unit = Unit::share,
     .key = "workers_idle",
     .help = "Share of the time of its workers in which they had no task; `null` without workers."},
    {.name = "queue",
     .scope = Scope::rank,
     .metric = "takt_rank_queue_frames rank",
     .help = "Frames that wait for the tasks of a rank; tasks on several ranks count in equal parts."},

    {.name = "starved",
     .scope = Scope::peer,
     .unit = Unit::ns,
     .merge = Merge::sum,
     .shown = Shown::share_of_loop,
     .key = "starved",
     .metric = "takt_rank_wait_seconds_total rank for use=starved",
     .help = "Time of waiting for frames of `rank`."},
    {.name = "blocked",
     .scope = Scope::peer,
     .unit = Unit::ns,
     .merge = Merge::sum,
     .shown = Shown::share_of_loop,
     .key = "blocked",
     .metric = "takt_rank_wait_seconds_total rank for use=blocked",
     .help = "Time of waiting for a free buffer at `rank`."},

    {.name = "starved",
     .scope = Scope::intake,
     .unit = Unit::ns,
     .merge = Merge::sum,
     .shown = Shown::share_of_loop,
     .key = "starved",
     .metric = "takt_rank_source_wait_seconds_total rank source",
     .help = "Time that a rank waited for frames of its own `source`."},
    {.name = "first_ns",
     .scope = Scope::intake,
     .unit = Unit::ns,
     .merge = Merge::first,
     .help = "CLOCK_MONOTONIC at which the first frame came."},
    {.name = "last_ns",
     .scope = Scope::intake,
     .unit = Unit::ns,
     .merge = Merge::most,
     .help = "CLOCK_MONOTONIC at which the last frame came."},

    {.name = "planned",
     .scope = Scope::task,
     .unit = Unit::ns,
     .key = "planned_ns",
     .metric = "takt_task_planned_seconds task",
     .column = "planned",
     .help = "Time of a task per frame that the plan assumes."},
    {.name = "work",
     .scope = Scope::task,
     .unit = Unit::ns,
     .merge = Merge::sum,
     .shown = Shown::mean_per_run,
     .key = "mean_ns",
     .column = "mean",
     .page = "mean",
     .help = "Measured time of a task per frame."},
    {.name = "p99",
     .scope = Scope::task,
     .unit = Unit::ns,
     .key = "p99_ns",
     .column = "p99",
     .help = "99 % of the calls took no longer."},
    {.name = "runs",
     .scope = Scope::task,
     .merge = Merge::sum,
     .key = "runs",
     .metric = "takt_task_frames_total task kind",
     .column = "runs",
     .page = "frames",
     .help = "Frames that a task processed (a source: produced)."},
    {.name = "given",
     .scope = Scope::task,
     .merge = Merge::sum,
     .help = "Frames that it produced, with those that a kernel flushes at end of stream."},
    {.name = "overstated",
     .scope = Scope::task,
     .merge = Merge::sum,
     .help =
         "Source frames that its outputs claim (`combined` in their headers) and that it had not consumed."},
    {.name = "awaited",
     .scope = Scope::task,
     .unit = Unit::ns,
     .merge = Merge::sum,
     .shown = Shown::mean_per_run,
     .key = "awaited_ns",
     .help = "Time that the rank waited for a frame under way of an asynchronous kernel, or for a state that "
             "travels, per frame; counts as `starved`."},
    {.name = "latency",
     .scope = Scope::task,
     .unit = Unit::ns,
     .merge = Merge::sum,
     .shown = Shown::mean_per_run,
     .key = "latency_ns",
     .help = "Time from the start of a frame's work in an asynchronous kernel to its end; 0 for others."},
    {.name = "time",
     .scope = Scope::task,
     .unit = Unit::ns,
     .merge = Merge::histogram,
     .metric = "takt_task_seconds task",
     .help = "Time of a task per frame."},
    {.name = "queue",
     .scope = Scope::task,
     .page = "queue",
     .help = "Frames that wait in its longest input."},

    {.name = "queue",
     .scope = Scope::edge,
     .metric = "takt_task_queue_frames task input",
     .help = "Frames that wait between `input` and `task`."},

    {.name = "ingested",
     .scope = Scope::source,
     .merge = Merge::sum,
     .key = "ingested",
     .help = "Frames handed to the pipeline, those with missing parts included."},
    {.name = "lost",
     .scope = Scope::source,
     .merge = Merge::sum,
     .key = "lost",
     .help = "Frames of which nothing arrived."},
    {.name = "dropped",
     .scope = Scope::source,
     .merge = Merge::sum,
     .key = "dropped",
     .help = "Frames that arrived and were discarded because of back-pressure."},
    {.name = "incomplete",
     .scope = Scope::source,
     .merge = Merge::sum,
     .key = "incomplete",
     .help = "Ingested frames with missing parts."},
    {.name = "age",
     .scope = Scope::source,
     .unit = Unit::ns,
     .merge = Merge::histogram,
     .metric = "takt_source_data_age_seconds source",
     .help = "Age of the data of a live source: from the end of a frame's time to the moment when the frame "
             "was complete, by the clocks of sender and host."},
    {.name = "age_p50",
     .scope = Scope::source,
     .unit = Unit::ns,
     .key = "data_age_ns.p50",
     .help =
         "Median age of the data of a live source: from the end of a frame's time to the moment when the "
         "frame was complete, by the clocks of sender and host (0: the sender's clock is ahead). `null` of "
         "other sources, and of frames without a time."},
    {.name = "age_p99",
     .scope = Scope::source,
     .unit = Unit::ns,
     .key = "data_age_ns.p99",
     .help = "99 % of the frames were not older."},
    {.name = "age_max",
     .scope = Scope::source,
     .unit = Unit::ns,
     .key = "data_age_ns.max",
     .help = "The largest age."},

    {.name = "passed",
     .scope = Scope::sink,
     .merge = Merge::sum,
     .key = "passed",
     .help = "Frames of the source that came to their end here."},
    {.name = "delivered",
     .scope = Scope::sink,
     .merge = Merge::sum,
     .key = "delivered",
     .help = "Frames of the source for which those stand that came."},
    {.name = "most_combined",
     .scope = Scope::sink,
     .merge = Merge::most,
     .help = "Source frames for which one frame stands at most."},
    {.name = "rest",
     .scope = Scope::sink,
     .merge = Merge::sum,
     .help = "Of the delivered frames, those that kernels flushed at end of stream."},
    {.name = "timed",
     .scope = Scope::sink,
     .merge = Merge::sum,
     .help = "Frames that count towards the rate: all but those that the end of the stream cut off."},
    {.name = "first_ns",
     .scope = Scope::sink,
     .unit = Unit::ns,
     .merge = Merge::first,
     .help = "CLOCK_MONOTONIC of the last timed frame of the first iteration."},
    {.name = "last_ns",
     .scope = Scope::sink,
     .unit = Unit::ns,
     .merge = Merge::most,
     .help = "CLOCK_MONOTONIC of the last timed frame."},
    {.name = "latency",
     .scope = Scope::sink,
     .unit = Unit::ns,
     .merge = Merge::histogram,
     .metric = "takt_latency_seconds sink",
     .help = "Time from the ingestion of a frame to its end in a sink."},
    {.name = "latency_p50",
     .scope = Scope::sink,
     .unit = Unit::ns,
     .key = "latency_ns.p50",
     .help = "Median time of the frames that came here."},
    {.name = "latency_p90",
     .scope = Scope::sink,
     .unit = Unit::ns,
     .key = "latency_ns.p90",
     .help = "90 % of them took no longer."},
    {.name = "latency_p99",
     .scope = Scope::sink,
     .unit = Unit::ns,
     .key = "latency_ns.p99",
     .help = "99 % of them took no longer."},
    {.name = "latency_max",
     .scope = Scope::sink,
     .unit = Unit::ns,
     .key = "latency_ns.max",
     .help = "The longest time."},
    {.name = "latency_predicted",
     .scope = Scope::sink,
     .unit = Unit::ns,
     .key = "latency_ns.predicted",
     .help = "By costs where fewer than five frames came here in the trial run."},
    {.name = "latency_by_costs",
     .scope = Scope::sink,
     .unit = Unit::ns,
     .key = "latency_ns.by_costs",
     .help = "As that of the run."},
    {.name = "latency_trial_least",
     .scope = Scope::sink,
     .unit = Unit::ns,
     .key = "latency_ns.trial.least",
     .help = "As that of the run."},
    {.name = "latency_trial_most",
     .scope = Scope::sink,
     .unit = Unit::ns,
     .key = "latency_ns.trial.most",
     .help = "As that of the run."},
});

/// Metrics that are no single row: several rows with one label each, or values whose names only a run knows.
struct MetricFamily {
  /// Name and labels, as in Figure::metric.
  std::string_view metric;
  std::string_view help;
};

inline constexpr auto metric_families = std::to_array<MetricFamily>({
    {"takt_run_info pipeline scheduler objective", "1; the labels describe the run."},
    {"takt_ranks", "Ranks that have reported."},
    {"takt_source_events_total source event unit",
     "Counters of a source: packets and causes of loss, by name."},
    {"takt_source_high_water source queue unit", "Largest fill of a source's queues."},
    {"takt_channel_records_total source channel", "Records that arrived of a channel."},
    {"takt_channel_latency_seconds_total source channel",
     "Sum over these records: time from the last sample of a record to its arrival."},
    {"takt_channel_latency_longest_seconds source channel", "The longest of these times."},
    {"takt_frequency_hertz kind",
     "Throughput in frames/s: sustained since the start, predicted, required, and the estimated limit of the "
     "ranks."},
    {"takt_rank_seconds_total rank host use", "Time of a rank by use."},
    {"takt_rank_wait_seconds_total rank for use", "Time that a rank waited `for` another one."},
});

/// Where the report has a figure of this scope: `ranks[].`; empty of the run.
[[nodiscard]] std::string_view place_of(Scope scope);
/// Unit in the report.
[[nodiscard]] Unit shown_unit(const Figure& figure);
/// `ns`, `Hz`, `0 to 1`.
[[nodiscard]] std::string_view name_of(Unit unit);

/// Merges the counts of two ranks.
void merge_into(std::uint64_t& value, std::uint64_t other, Merge rule);

/// A metric as Prometheus knows it.
struct Metric {
  std::string_view name;
  /// `counter`, `gauge` or `histogram`.
  std::string_view type;
  /// As in Figure::metric, without values.
  std::string labels;
  std::string help;
};
/// Each once, in the order of the tables.
[[nodiscard]] const std::vector<Metric>& all_metrics();
/// `takt_frequency_hertz` of `takt_frequency_hertz kind=sustained`.
[[nodiscard]] std::string_view metric_name(std::string_view metric);

}  // namespace takt::pipeline
