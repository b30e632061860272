#pragma once
/// Summary of the plan of a run: plain data, sent as JSON from the ranks to the launcher.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/units.hpp"

namespace takt::pipeline {

/// Least and largest result among the repetitions of a trial run (pipeline/runtime/trials/trial_runs.hpp):
/// the uncertainty of a prediction.
struct Spread {
  double least = 0, most = 0;
  friend bool operator==(const Spread&, const Spread&) = default;
};

/// The plan of one stage.
struct PlannedStage {
  std::string name;
  std::string type;
  /// `source`, `kernel` or `sink`.
  std::string kind;
  std::vector<std::size_t> inputs;
  std::vector<std::size_t> ranks;
  /// Time of a call by its group.
  std::int64_t cost_ns = 0;
  /// Type of its frames, as text, and their size.
  std::string output;
  std::uint64_t output_bytes = 0;
  /// Number of tiles of a frame (pipeline/tiles); 1: whole frames.
  std::size_t tiles = 1;
  /// Number of ranks that process a frame together.
  std::size_t group = 1;
  /// Calls per frame of the sources (Pipeline::calls_a_frame).
  double calls_a_frame = 1;
  /// Part of `cost_ns` that a separate thread needs to receive the frame.
  std::int64_t receiving_ns = 0;
  /// For sources: capacity of the queue in frames; 0: none.
  std::uint64_t queue_frames = 0;
  /// For sources: frames come at their own pace, whether the pipeline is ready or not.
  bool has_own_pace = false;
  /// For sinks: predicted median latency from the source.
  std::int64_t latency_ns = 0;
  /// The prediction by costs, if `latency_ns` is from a trial run.
  std::optional<std::int64_t> costs_latency_ns = {};
  /// The spread in that trial run, if enough frames arrived.
  std::optional<Spread> trial_latency_ns = {};
  /// Its place, as text, and the ranks that may run it; empty: all.
  std::string place = {};
  std::vector<std::size_t> may_run_on = {};
};

/// Returns the mean time per frame, in ns, of each rank that works on the stage.
[[nodiscard]] double work_per_frame_ns(const PlannedStage& stage);

/// A device, and the tasks (by stage) that work on it without their ranks.
struct PlannedDevice {
  std::string name;
  /// Frames on which it works at once.
  std::size_t units = 1;
  std::vector<std::size_t> tasks = {};
  /// Time of a unit per frame of the sources, of all tasks together.
  std::int64_t work_ns = 0;

  /// Returns the share of the time in which its units work at this throughput.
  [[nodiscard]] double load(double hertz) const {
    return std::min(1.0, static_cast<double>(work_ns) * hertz / 1e9 / static_cast<double>(units));
  }
};

/// A note that applies while the predicted rate is below `hertz`.
struct NoteBelow {
  double hertz = 0;
  std::string text;
};

struct RunPlan {
  std::string pipeline;
  /// Name of the scheduler, and its objective: `frequency`, `latency` or `processors`, or `given` for a
  /// schedule from a file.
  std::string scheduler;
  std::string objective;
  std::size_t ranks = 1;
  /// Cores of each rank (Deployment::cores_per_rank), with which the costs were measured.
  std::size_t cores_per_rank = 1;
  /// Frames in one iteration of the schedule.
  std::uint32_t replicas = 1;
  /// Tasks of one iteration work on different frames.
  bool is_pipelined = false;
  std::vector<PlannedStage> stages;
  double predicted_hz = 0;
  /// The prediction by costs of single tasks and messages, if `predicted_hz` is from a trial run.
  std::optional<double> costs_hz;
  /// Sustained rates in the repetitions of that trial run.
  std::optional<Spread> trial_hz = {};
  /// The largest latency of all sinks (set_latencies).
  std::int64_t predicted_latency_ns = 0;
  /// The bottleneck, for users.
  std::string limit;
  std::optional<double> required_hz;
  /// The required latency, and its quantile: `p99`.
  std::optional<std::int64_t> required_latency_ns = {};
  std::string latency_quantile = {};
  /// Load of each rank at the predicted period.
  std::vector<double> predicted_busy;
  /// CPU share of each rank, if the costs include it (adaptation.hpp).
  std::vector<double> processor_shares = {};
  /// Memory of each rank for frames (memory_of in pipeline/program/layout.hpp).
  std::vector<std::uint64_t> memory_bytes;
  std::vector<std::string> notes;
  std::vector<NoteBelow> notes_below = {};
  /// Files of its entries in the cache (run_cache.hpp).
  std::vector<std::string> kept_files = {};
  std::vector<PlannedDevice> devices = {};
};

/// Returns `, 3 frames in an iteration` and `, pipelined`, where these apply.
[[nodiscard]] std::string iteration_text(std::uint32_t replicas, bool is_pipelined);

/// Returns the notes, including those that depend on the current prediction; with `names_rate` also a
/// required rate above it and the cause.
[[nodiscard]] std::vector<std::string> notes_of(const RunPlan& plan, bool names_rate = true);

/// Returns whether the predicted latency is within the required one; nothing without one.
[[nodiscard]] std::optional<bool> holds_latency(const RunPlan& plan);

/// Sets the latencies by stage, for all stages; 0 for stages other than sinks.
void set_latencies(const std::vector<Time>& latencies, RunPlan& plan);

/// Returns names that distinguish plans of one pipeline: `optfo on 2 ranks, 3 frames in an iteration`. Later
/// plans with the same description get a number: `optfo on 2 ranks (2)`. Idle ranks do not count.
[[nodiscard]] std::vector<std::string> names_of(const std::vector<const RunPlan*>& plans);

/// A plan as distributed to all ranks.
struct SharedPlan {
  RunPlan summary;
  /// As a schedule file.
  std::string schedule;
};

/// Converts plans to one line of JSON and back; throws ConfigError for an invalid text.
[[nodiscard]] std::string to_text(const SharedPlan& plan);
[[nodiscard]] SharedPlan shared_plan_from_text(std::string_view text);
[[nodiscard]] std::string to_text(const RunPlan& plan);
[[nodiscard]] RunPlan plan_from_text(std::string_view text);

}  // namespace takt::pipeline
