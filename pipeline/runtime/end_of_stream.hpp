#pragma once
/// Which stages of a rank have ended, and why: the end of the stream, a request to stop, a pause.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "pipeline/runtime/rank_state.hpp"

namespace takt::pipeline {

/// The end of a stream travels with it: a source that has ended marks its output so; what depends on it is
/// marked in turn. Kernels then flush what they hold (Kernel::finish), one iteration later where they have
/// just produced something else. The last message of each channel carries the mark.
///
/// For the executor's thread, apart from `drain`.
class EndOfStream {
 public:
  explicit EndOfStream(RankState& state)
      : state_(state),
        finished_(state.pipeline.stages.size(), true),
        drained_before_rest_(state.pipeline.stages.size()),
        finishing_since_ns_(state.pipeline.stages.size()) {}

  /// A kernel or sink of this rank, which is to end: called before the first frame.
  void expect(std::size_t stage);
  /// Whether a kernel has flushed, or a sink is closed; true of all other stages.
  [[nodiscard]] bool has_finished(std::size_t stage) const { return finished_[stage]; }
  void finish(std::size_t stage);
  /// What a stage gives in a pause: nothing. It has done what it does.
  void pause_stage(std::size_t stage, Datum& output) {
    if (!finished_[stage]) finish(stage);
    output = Datum::end_of_stream(true);
  }
  /// Whether all expected stages have ended, or none has.
  [[nodiscard]] bool is_complete() const { return unfinished_ == 0; }
  [[nodiscard]] bool is_untouched() const { return unfinished_ == expected_; }

  /// The end of the stream has come to this rank; what follows is what kernels flush.
  void begin_rest();
  /// When this kernel was first asked to flush (now_ns): now, where it was not before.
  [[nodiscard]] std::int64_t finishing_since(std::size_t stage);
  /// Whether the user has asked to stop since this kernel began to flush, which may have no end. Asked each
  /// time that it flushed a frame.
  [[nodiscard]] bool is_rest_unwanted(std::size_t stage);

  /// The stages end here, but keep what they hold, for another executor.
  void pause() { is_paused_ = true; }
  [[nodiscard]] bool is_paused() const { return is_paused_; }

  /// From any thread: sources are to stop receiving.
  void drain() { draining_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] const std::atomic<bool>& draining() const { return draining_; }

 private:
  RankState& state_;
  bool is_paused_ = false, has_rest_begun_ = false;
  std::vector<bool> finished_;
  std::size_t unfinished_ = 0, expected_ = 0;
  /// By stage, from the first frame that it flushes on: whether the user had asked to stop by then.
  std::vector<std::optional<bool>> drained_before_rest_;
  /// By stage, of kernels that were asked to flush: since when; 0 of others.
  std::vector<std::int64_t> finishing_since_ns_;
  std::atomic<bool> draining_{false};
};

}  // namespace takt::pipeline
