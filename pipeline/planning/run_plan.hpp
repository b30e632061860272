#pragma once
/// What a run is going to do, in few words: plain data, sent as JSON from the ranks to the launcher.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/units.hpp"

namespace takt::pipeline {

/// The least and the most of the repetitions of a trial run (pipeline/runtime/trials/trial_runs.hpp): how
/// sure a prediction is.
struct Spread {
  double least = 0, most = 0;
  friend bool operator==(const Spread&, const Spread&) = default;
};

/// What the plan says of one stage.
struct PlannedStage {
  std::string name;
  std::string type;
  /// `source`, `kernel` or `sink`.
  std::string kind;
  std::vector<std::size_t> inputs;
  std::vector<std::size_t> ranks;
  /// Time of a call, of the group that works at it.
  std::int64_t cost_ns = 0;
  /// Type of its frames, as text, and their size.
  std::string output;
  std::uint64_t output_bytes = 0;
  /// Parts in which it works through a frame, where a rank does so (pipeline/tiles).
  std::size_t tiles = 1;
  /// How many of the ranks work at a frame together.
  std::size_t group = 1;
  /// Calls for each frame of the sources (Pipeline::calls_a_frame).
  double calls_a_frame = 1;
  /// The part of `cost_ns` that a thread beside the rank takes to receive the frame.
  std::int64_t receiving_ns = 0;
  /// Of a source: room for frames in its queue; 0: it has none.
  std::uint64_t queue_frames = 0;
  /// Of a sink: what the median frame is predicted to take from its source to here.
  std::int64_t latency_ns = 0;
  /// The prediction by costs, where `latency_ns` is that of a trial run.
  std::optional<std::int64_t> costs_latency_ns = {};
  /// What it was in that trial run, where enough frames came here.
  std::optional<Spread> trial_latency_ns = {};
};

/// Nanoseconds that a frame takes, on average, of each rank that works at the stage.
[[nodiscard]] double work_a_frame_ns(const PlannedStage& stage);

/// What is to be said of a plan while less than so much is predicted.
struct NoteBelow {
  double hertz = 0;
  std::string text;
};

struct RunPlan {
  std::string pipeline;
  /// Which scheduler made the schedule, and what it was chosen for: `frequency`, `latency` or `processors`,
  /// or `given` when it came in a file.
  std::string scheduler;
  std::string objective;
  std::size_t ranks = 1;
  /// Frames in one repetition of the schedule.
  std::uint32_t replicas = 1;
  std::vector<PlannedStage> stages;
  double predicted_hz = 0;
  /// The prediction by costs of single tasks and messages, where `predicted_hz` is that of a trial run.
  std::optional<double> costs_hz;
  /// What the repetitions of that trial run sustained.
  std::optional<Spread> trial_hz = {};
  /// That of the sink where it is the longest (set_latencies).
  std::int64_t predicted_latency_ns = 0;
  /// What limits the prediction, for people.
  std::string limit;
  std::optional<double> required_hz;
  /// Share of the predicted period in which each rank works.
  std::vector<double> predicted_busy;
  /// What each rank has of its processor, where the costs count that (adaptation.hpp).
  std::vector<double> processor_shares = {};
  /// What each rank allocates for frames (memory_of in pipeline/program/layout.hpp).
  std::vector<std::uint64_t> memory_bytes;
  std::vector<std::string> notes;
  std::vector<NoteBelow> notes_below = {};
  /// The files of what is kept of it for later runs (run_cache.hpp).
  std::vector<std::string> kept_files = {};
};

/// The notes, and what is true of the rate that is predicted by now: also that it is below the required one,
/// and why.
[[nodiscard]] std::vector<std::string> notes_of(const RunPlan& plan);

/// By stage, as many as there are; 0 where a stage is no sink.
void set_latencies(const std::vector<Time>& latencies, RunPlan& plan);

/// What tells plans of one pipeline apart: `optfo on 2 ranks, 3 frames at a time`; of two that do not differ
/// in that the later ones are numbered: `optfo on 2 ranks (2)`. Ranks without a task do not count.
[[nodiscard]] std::vector<std::string> names_of(const std::vector<const RunPlan*>& plans);

/// What all ranks know of a plan.
struct SharedPlan {
  RunPlan summary;
  /// As a schedule file.
  std::string schedule;
};

/// As one line of JSON, and back; throws ConfigError where the text is none.
[[nodiscard]] std::string to_text(const SharedPlan& plan);
[[nodiscard]] SharedPlan shared_plan_from_text(std::string_view text);
[[nodiscard]] std::string to_text(const RunPlan& plan);
[[nodiscard]] RunPlan plan_from_text(std::string_view text);

}  // namespace takt::pipeline
