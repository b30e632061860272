#pragma once
/// State shared by the parts of an executor: the program, the current frames, and the counters.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "pipeline/config/pipeline.hpp"
#include "pipeline/program/program.hpp"
#include "pipeline/runtime/counting/tally.hpp"
#include "pipeline/runtime/counting/timeline.hpp"
#include "pipeline/runtime/counting/trace_recorder.hpp"
#include "pipeline/runtime/datum.hpp"
#include "pipeline/runtime/probe.hpp"

namespace takt::pipeline {

/// Numbers of the current frames: an iteration has one per instance of the schedule.
struct FrameNumbers {
  /// The frame from which the instances count, for steps without an offset.
  std::uint64_t first = 0;
  /// By instance of a bound step: its frame, relative to `first`.
  std::vector<std::uint64_t> offsets;
  /// Frames of an iteration.
  std::uint64_t instances = 1;

  /// Returns the frame of a bound step, which may be some iterations behind.
  [[nodiscard]] std::uint64_t of(const Step& step) const {
    return first + offsets[step.instance] - step.offset * instances;
  }
};

/// One per executor; its parts hold a reference. For the executor's thread; two threads use the probe.
///
/// Where a program has several copies of each output (RankProgram::phases), the instances of bound steps and
/// of slots count through all of them: those of the first copy, then those of the second one.
struct RankState {
  /// `scheduled` is the rank's program by the schedule, `own_program` the one that it runs: they differ on a
  /// rank that reorders frames.
  RankState(const Pipeline& all_stages, const RankProgram& scheduled, RankProgram own_program,
            RankTally& own_tally)
      : pipeline(all_stages), program(std::move(own_program)), tally(own_tally), timeline(own_tally.uses) {
    for (std::size_t stage = 0; stage < pipeline.stages.size(); ++stage) {
      bytes.push_back(pipeline.stages[stage].output.size().count);
      frames_per_round.push_back(instances_of(scheduled, stage));
    }
  }

  /// Returns the index of an output in RankMemory.
  [[nodiscard]] std::size_t slot(std::uint32_t instance, std::size_t stage) const {
    return instance * pipeline.stages.size() + stage;
  }
  /// Returns the tally of a stage. Drops the figures of a group member beyond the first, which has no tally.
  [[nodiscard]] StageTally& tally_of(std::size_t stage) {
    return stage < tally.stages.size() ? tally.stages[stage] : not_reported;
  }
  /// Returns whether a stage that works in this untimed iteration did not work in the last timed one. Its
  /// calls are infrequent, and this call is to be timed.
  [[nodiscard]] bool is_unsampled(const StageTally& stage) const {
    return timeline.is_untimed() && stage.sample_number != timeline.sample_number();
  }
  /// Counts a call of a stage, with its duration if that was timed.
  void count_run(StageTally& stage, std::int64_t duration_ns, bool was_unsampled = false) const {
    if (timeline.is_untimed() && !was_unsampled) return stage.ran_untimed();
    stage.ran(duration_ns);
    if (!timeline.is_untimed()) stage.sample_number = timeline.sample_number();
  }
  /// Shows an output to the probe if the probe requests one of this stage.
  void show(std::size_t stage, const Datum& datum) {
    if (probe.wants(stage) && datum.present) [[unlikely]]
      probe.show(stage, {datum.header, {datum.bytes, bytes[stage]}});
  }
  /// Reports the next step to the recorder, if there is one.
  void record(const Step& step) {
    if (recorder) [[unlikely]]
      record_step(step);
  }

  const Pipeline& pipeline;
  RankProgram program;
  RankTally& tally;
  Timeline timeline;
  std::optional<TraceRecorder> recorder;
  Probe probe;
  FrameNumbers frames;
  /// Iterations so far, counted by the frames that sources take (Stretches).
  std::uint64_t round = 0;
  /// By stage: bytes of its output (of a sink: of its input).
  std::vector<std::size_t> bytes;
  /// By stage: frames of an iteration of the schedule that this rank handles.
  std::vector<std::uint64_t> frames_per_round;

 private:
  void record_step(const Step& step);

  StageTally not_reported;
};

}  // namespace takt::pipeline
