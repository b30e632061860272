#pragma once
/// Writes frames to the sinks of a rank, and counts the delivered frames.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "pipeline/runtime/bound_step.hpp"
#include "pipeline/runtime/counting/iteration_times.hpp"
#include "pipeline/runtime/end_of_stream.hpp"
#include "pipeline/runtime/parameter_tracker.hpp"
#include "pipeline/runtime/rank_stages.hpp"
#include "pipeline/runtime/rank_state.hpp"

namespace takt::pipeline {

class SinkRunner {
 public:
  /// `clock_offset_ns` and `iteration_times` as in RunOptions. All other arguments must outlive it.
  SinkRunner(RankState& state, EndOfStream& end, const RankStages& stages, ParameterTracker& parameters,
             std::int64_t clock_offset_ns, std::vector<IterationTimes>* iteration_times);

  void write(const BoundStep& step);
  /// Closes the sinks of several ranks whose stream has ended by the last iteration. Called after it.
  void close_ended() {
    if (!closing_.empty()) [[unlikely]]
      close_all();
  }

  /// From any thread: sinks with a transient buffer write its content.
  void trigger() { triggers_.fetch_add(1, std::memory_order_relaxed); }
  /// Passes the commands of `trigger` on. Called before an iteration.
  void pass_triggers_on() {
    const std::uint32_t triggers = triggers_.load(std::memory_order_relaxed);
    if (triggers != triggers_passed_on_) [[unlikely]]
      trigger_all(triggers);
  }
  /// From any thread: sinks begin new files with the next frame that they write.
  void begin_files();
  /// From any thread: stops the writing of frames, or resumes it with new files.
  void hold(bool are_held);

 private:
  /// Runs the sink's own code on the inputs.
  void give(const BoundStep& step, bool is_held);
  void count(const BoundStep& step, std::int64_t end_ns, bool is_held);
  void note_iteration(const BoundStep& step, std::int64_t end_ns);
  void close_all();
  void trigger_all(std::uint32_t triggers);

  RankState& state_;
  EndOfStream& end_;
  const RankStages& stages_;
  ParameterTracker& parameters_;
  std::int64_t clock_offset_ns_;
  std::vector<IterationTimes>* iteration_times_;
  /// By stage: calls without a frame while asynchronous tasks fill. They do not count towards throughput.
  std::vector<std::uint64_t> held_;
  /// A sink of several ranks whose stream ends, and its last iteration here.
  struct Closing {
    std::size_t stage = 0;
    std::uint64_t round = 0;
  };
  std::vector<Closing> closing_;
  /// Trigger commands of the user, and how many of them the sinks have received.
  std::atomic<std::uint32_t> triggers_{0};
  std::uint32_t triggers_passed_on_ = 0;
  std::atomic<bool> are_held_{false};
};

}  // namespace takt::pipeline
