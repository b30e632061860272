#pragma once
/// Figures of a run.

#include "pipeline/protocol/figures/figure.hpp"

namespace takt::pipeline {

inline constexpr auto run_figures = rows_of(
    Scope::run,
    {
        {.name = "ingested",
         .key = "frames.ingested",
         .metric = "takt_frames_ingested_total",
         .page = "ingested",
         .help = "Frames that entered the pipeline from its sources. With `--frames N`, N, without those "
                 "still queued."},
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
         .help = "Frames that arrived and were discarded: at a source because of back-pressure, or on the "
                 "way because the run was aborted."},
        {.name = "is_least",
         .unit = Unit::flag,
         .key = "frames.is_least",
         .help = "A rank with a sink died before its last report: at least as many frames were `delivered`, "
                 "at most as many `dropped`."},
        {.name = "incomplete",
         .key = "frames.incomplete",
         .metric = "takt_frames_incomplete_total",
         .page = "incomplete",
         .help = "Ingested frames with missing parts. Of joined sources the sum, so that a frame may count "
                 "once per source."},
        {.name = "under_way",
         .metric = "takt_frames_under_way",
         .help = "Ingested frames that have not reached every sink."},
        {.name = "sustained",
         .unit = Unit::hertz,
         .key = "frequency_hz.sustained",
         .metric = "takt_frequency_hertz kind=sustained",
         .help = "Frames/s at the slowest sink, from its first frame (with several per iteration: the last "
                 "of the first iteration) to its last, without those cut off at end of stream; from then on "
                 "when asynchronous tasks have filled; at most the rate at which frames came to a source "
                 "at its own pace. `null` with fewer than two iterations after the first."},
        {.name = "predicted",
         .unit = Unit::hertz,
         .key = "frequency_hz.predicted",
         .metric = "takt_frequency_hertz kind=predicted",
         .help = "Throughput of the trial run of the plan. Without one, the prediction from costs: one over "
                 "the period of the schedule, or less where ranks share cores."},
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
         .help = "Estimated highest rate: 1 / the busiest rank's time per frame in tasks, messages and its "
                 "loop, without output flushed at end of stream; at least `sustained`. If no rank waits for "
                 "its source (3 % of the time), ranks wait for each other, and `sustained` judges the "
                 "prediction. If the busiest rank worked for less than half of the time, and one waited "
                 "longer for its source, this figure cannot judge the prediction, and a note says so."},
        {.name = "held",
         .unit = Unit::flag,
         .key = "held",
         .help = "Whether the required rate was held: nothing dropped or miscounted, at most the start of "
                 "one result absorbed, and `sustained` at most 1 % below `required`."},
        {.name = "latency_required",
         .unit = Unit::ns,
         .key = "latency_ns.required",
         .metric = "takt_latency_required_seconds",
         .help = "The pipeline's `latency`."},
        {.name = "latency_share",
         .unit = Unit::share,
         .key = "latency_ns.required_share",
         .help = "Share of the frames that must not take longer than `required`: 0.99 for p99; `null` "
                 "without a required latency."},
        {.name = "latency_held",
         .unit = Unit::flag,
         .key = "latency_held",
         .help = "Whether that share of the frames took at most `required`; `null` without a required "
                 "latency, or without a frame at a sink."},
        {.name = "latency_p50",
         .unit = Unit::ns,
         .key = "latency_ns.p50",
         .help = "Median time from a frame's ingestion to its end in a sink, without output that kernels "
                 "flush at end of stream. With several sinks, the slowest one per frame (`outputs[]` has "
                 "those of each; sinks that fewer than twenty frames came to do not count where others had "
                 "more). Over hosts, by the difference of their clocks, measured when the run starts."},
        {.name = "latency_p90",
         .unit = Unit::ns,
         .key = "latency_ns.p90",
         .help = "90 % of the frames took at most this."},
        {.name = "latency_p99",
         .unit = Unit::ns,
         .key = "latency_ns.p99",
         .help = "99 % of the frames took at most this."},
        {.name = "latency_max",
         .unit = Unit::ns,
         .key = "latency_ns.max",
         .help = "The longest time of a frame."},
        {.name = "latency_predicted",
         .unit = Unit::ns,
         .key = "latency_ns.predicted",
         .help = "The median in a trial run at the rate of the source (or at 0.9 of the plan's throughput, "
                 "if that is less). Without one, or with a source without a rate, the prediction by costs "
                 "for a frame that never waits."},
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
    });

}  // namespace takt::pipeline
