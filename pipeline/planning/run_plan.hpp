#pragma once
/// What a run is going to do, in few words: plain data, sent as JSON from the ranks to whoever reports.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/units.hpp"

namespace takt::pipeline {

/// Between which values the turns of a rehearsal were (pipeline/engine/rehearsal.hpp): how sure a prediction
/// is.
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
  /// Infrequent frames that take far longer than others (RareCalls): their share of the calls, the time of
  /// one, and that of the others.
  double rare_share = 0;
  std::int64_t rare_ns = 0;
  std::int64_t rare_usual_ns = 0;
  /// Of a sink: what the median frame is predicted to take from its source to here.
  std::int64_t latency_ns = 0;
  /// What costs promise of it, where the prediction is that of a rehearsal (pipeline/engine/rehearsal.hpp).
  std::optional<std::int64_t> costs_latency_ns = {};
  /// What it was in that rehearsal, where enough frames came here.
  std::optional<Spread> rehearsed_latency_ns = {};
};

/// Nanoseconds that a frame takes, on average, of each rank that works at the stage.
[[nodiscard]] double work_a_frame_ns(const PlannedStage& stage);
/// The same of all ranks together: as long as one would take that had all calls.
[[nodiscard]] double all_calls_ns(const PlannedStage& stage);

/// The most that any of its ranks may work a frame: where ranks take frames by turns, and the stage is called
/// for few of them, one may have all calls.
[[nodiscard]] double most_work_a_frame_ns(const PlannedStage& stage);

struct RunPlan;
/// Which part of a call of the stage the other ranks wait for: what it lasts longer than the frames do that
/// wait between them and the ranks that make it.
[[nodiscard]] double held_up(const PlannedStage& stage, const RunPlan& plan);

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
  /// What the costs of single tasks and messages promise, where the prediction is that of a rehearsal
  /// (pipeline/engine/rehearsal.hpp).
  std::optional<double> costs_hz;
  /// What that rehearsal sustained, slow turns that others disturbed included.
  std::optional<Spread> rehearsed_hz = {};
  /// In which state of the machine that rehearsal was (pipeline/engine/hand_over.hpp), where that is known.
  std::optional<double> hand_over_ns = {};
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
  /// By rank: how many frames may wait between it and another one that it works with, at least.
  std::vector<std::uint64_t> frames_held = {};
  std::vector<std::string> notes;
  std::vector<NoteBelow> notes_below = {};
};

/// The notes, and what is true of the rate that is predicted by now: also that it is below the required one,
/// and why.
[[nodiscard]] std::vector<std::string> notes_of(const RunPlan& plan);

/// By stage, as many as there are; 0 where a stage is no sink.
void set_latencies(const std::vector<Time>& latencies, RunPlan& plan);

/// What tells plans of one pipeline apart: `optfo on 2 ranks, 3 frames at a time`; of two that do not differ
/// in that the later ones are numbered: `optfo on 2 ranks (2)`. Ranks without a task do not count.
[[nodiscard]] std::vector<std::string> names_of(const std::vector<const RunPlan*>& plans);

/// What all ranks know of a plan: whoever made it has told them.
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
