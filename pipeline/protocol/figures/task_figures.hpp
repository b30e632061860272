#pragma once
/// Figures of a task, and of its inputs.

#include "pipeline/protocol/figures/figure.hpp"

namespace takt::pipeline {

inline constexpr auto task_figures = rows_of(
    Scope::task,
    {
        {.name = "planned",
         .unit = Unit::ns,
         .key = "planned_ns",
         .metric = "takt_task_planned_seconds task",
         .column = "planned",
         .help = "Time of a task per frame that the plan assumes."},
        {.name = "work",
         .unit = Unit::ns,
         .merge = Merge::sum,
         .shown = Shown::mean_per_run,
         .key = "mean_ns",
         .column = "mean",
         .page = "mean",
         .help = "Measured time of a task per frame."},
        {.name = "p99",
         .unit = Unit::ns,
         .key = "p99_ns",
         .column = "p99",
         .help = "99 % of the calls took at most this."},
        {.name = "runs",
         .merge = Merge::sum,
         .key = "runs",
         .metric = "takt_task_frames_total task kind",
         .column = "runs",
         .page = "frames",
         .help = "Frames that a task processed (a source: produced)."},
        {.name = "given",
         .merge = Merge::sum,
         .help = "Frames that it produced, with those that a kernel flushes at end of stream."},
        {.name = "overstated",
         .merge = Merge::sum,
         .help = "Source frames that its outputs claim (`combined` in their headers) and that it had not "
                 "consumed."},
        {.name = "awaited",
         .unit = Unit::ns,
         .merge = Merge::sum,
         .shown = Shown::mean_per_run,
         .key = "awaited_ns",
         .help = "Time that the rank waited for a frame under way of an asynchronous kernel, or for a state "
                 "that travels, per frame; counts as `starved`."},
        {.name = "latency",
         .unit = Unit::ns,
         .merge = Merge::sum,
         .shown = Shown::mean_per_run,
         .key = "latency_ns",
         .help = "Time from the start of a frame's work in an asynchronous kernel to its end; 0 for others."},
        {.name = "time",
         .unit = Unit::ns,
         .merge = Merge::histogram,
         .metric = "takt_task_seconds task",
         .help = "Time of a task per frame."},
        {.name = "queue", .page = "queue", .help = "Frames that wait in its longest input."},
    });

inline constexpr auto edge_figures =
    rows_of(Scope::edge, {
                             {.name = "queue",
                              .metric = "takt_task_queue_frames task input",
                              .help = "Frames that wait between `input` and `task`."},
                         });

}  // namespace takt::pipeline
