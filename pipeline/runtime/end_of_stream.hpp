#pragma once
/// Tracks which stages of a rank have ended, and why: end of the stream, a stop request, or a pause.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "pipeline/runtime/rank_state.hpp"

namespace takt::pipeline {

/// The end of a stream travels with it: a source that has ended marks its output, and each dependent stage
/// marks its own in turn. Kernels then flush what they hold (Kernel::finish), one iteration later if they
/// have just produced something else. The last message of each channel carries the mark.
///
/// For the executor's thread, except `drain`.
class EndOfStream {
 public:
  explicit EndOfStream(RankState& state)
      : state_(state),
        finished_(state.pipeline.stages.size(), true),
        drained_before_rest_(state.pipeline.stages.size()),
        finishing_since_ns_(state.pipeline.stages.size()) {}

  /// Adds a kernel or sink of this rank, which has to end. Called before the first frame.
  void expect(std::size_t stage);
  /// Returns whether a kernel has flushed or a sink is closed; true for all other stages.
  [[nodiscard]] bool has_finished(std::size_t stage) const { return finished_[stage]; }
  void finish(std::size_t stage);
  /// Finishes a stage for a pause, and sets its output, which is empty.
  void pause_stage(std::size_t stage, Datum& output) {
    if (!finished_[stage]) finish(stage);
    output = Datum::end_of_stream(true);
  }
  /// Return whether all expected stages have ended, and whether none has.
  [[nodiscard]] bool is_complete() const { return unfinished_ == 0; }
  [[nodiscard]] bool is_untouched() const { return unfinished_ == expected_; }

  /// Notes that the end of the stream has reached this rank. From then on, kernels flush.
  void begin_flush();
  /// Returns when this kernel was first asked to flush (now_ns): now, if this is the first time.
  [[nodiscard]] std::int64_t finishing_since(std::size_t stage);
  /// Returns whether the user has requested a stop since this kernel began to flush, which may have no end.
  /// Called after each flushed frame.
  [[nodiscard]] bool is_flush_unused(std::size_t stage);

  /// Ends the stages here, which keep their state for another executor.
  void pause() { is_paused_ = true; }
  [[nodiscard]] bool is_paused() const { return is_paused_; }

  /// From any thread: sources stop receiving.
  void drain() { draining_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] const std::atomic<bool>& draining() const { return draining_; }

 private:
  RankState& state_;
  bool is_paused_ = false, has_rest_begun_ = false;
  std::vector<bool> finished_;
  std::size_t unfinished_ = 0, expected_ = 0;
  /// By stage, from its first flushed frame on: whether the user had requested a stop by then.
  std::vector<std::optional<bool>> drained_before_rest_;
  /// By stage: when the kernel was first asked to flush; 0 before that.
  std::vector<std::int64_t> finishing_since_ns_;
  std::atomic<bool> draining_{false};
};

}  // namespace takt::pipeline
