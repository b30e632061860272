#pragma once
/// Runs the kernels of a rank.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "pipeline/calls/frames_in_flight.hpp"
#include "pipeline/calls/kernel_call.hpp"
#include "pipeline/calls/memory_check.hpp"
#include "pipeline/runtime/bound_step.hpp"
#include "pipeline/runtime/end_of_stream.hpp"
#include "pipeline/runtime/message_io.hpp"
#include "pipeline/runtime/parameter_tracker.hpp"
#include "pipeline/runtime/rank_memory.hpp"
#include "pipeline/runtime/rank_stages.hpp"
#include "pipeline/runtime/rank_state.hpp"

namespace takt::pipeline {

class KernelRunner {
 public:
  struct Options {
    /// Whether to check what kernels write (memory_check.hpp).
    bool checks_memory = false;
    /// Whether the run saves checkpoints.
    bool restarts = false;
  };
  /// All arguments but the options must outlive it.
  KernelRunner(RankState& state, RankMemory& memory, EndOfStream& end, RankStages& stages, MessageIo& io,
               ParameterTracker& parameters, Options options);

  void run(const BoundStep& step);
  /// Makes one call, for the frame of this number. Counts the consumed and the produced frames.
  [[nodiscard]] KernelResult call(std::size_t stage, std::uint64_t frame, Kernel& kernel,
                                  const KernelCall& call);
  /// Applies the parameter updates up to this number.
  void update(std::size_t stage, std::uint32_t number);

 private:
  /// Runs a step whose kernel has its state.
  void run_frame(const BoundStep& step);
  /// Of a kernel whose state travels: waits for the turn of the frame, and loads the state. Returns whether
  /// the step has work to do. Otherwise its output is set: another rank flushes the kernel, or has done so.
  [[nodiscard]] bool begin_turn(const BoundStep& step, std::uint64_t frame);
  /// Saves the state for the next frame, and passes the turn on.
  void end_turn(const BoundStep& step, std::uint64_t frame);
  /// Of an asynchronous kernel: waits until its next call does not wait. The time counts as starved.
  void await_oldest(const BoundStep& step, FramesInFlight& frames, bool has_input);
  /// Returns the result after counting the consumed and the produced frames (StageTally::balance).
  KernelResult balanced(std::size_t stage, const KernelCall& call, KernelResult result);
  void balance(std::size_t stage, const KernelCall& call, std::uint32_t produced);
  /// Throws StageError unless all inputs of the step are the same frame, or all are absent.
  void check_companions(const BoundStep& step) const;

  RankState& state_;
  RankMemory& memory_;
  EndOfStream& end_;
  RankStages& stages_;
  MessageIo& io_;
  ParameterTracker& parameters_;
  bool restarts_;
  std::optional<MemoryCheck> memory_check_;
  std::vector<FrameView> inputs_;
};

}  // namespace takt::pipeline
