#pragma once
/// Iterations of the rank that reorders self-scheduled frames.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "pipeline/program/reordering.hpp"
#include "pipeline/runtime/bound_steps.hpp"
#include "pipeline/runtime/end_of_stream.hpp"
#include "pipeline/runtime/message_io.hpp"
#include "pipeline/runtime/rank_memory.hpp"
#include "pipeline/runtime/rank_stages.hpp"
#include "pipeline/runtime/rank_state.hpp"
#include "pipeline/runtime/reorder_buffer.hpp"
#include "pipeline/runtime/source_sharing.hpp"
#include "pipeline/runtime/step_runner.hpp"

namespace takt::pipeline {

/// The other ranks send it the results of the frames that they have claimed. It processes frames like the
/// other ranks. If its own frame is done before frames that other ranks have claimed earlier, it keeps the
/// result (ReorderBuffer) and claims another frame. So it waits only if it is far ahead.
class ReorderLoop {
 public:
  /// All arguments must outlive it.
  ReorderLoop(RankState& state, RankMemory& memory, EndOfStream& end, const RankStages& stages, MessageIo& io,
              SourceSharing& sharing, const ParameterTracker& parameters, StepRunner& runner,
              const BoundSteps& steps);

  /// Replaces an iteration: handles all frames that are next in order, then one of its own; or it waits.
  void run();

 private:
  struct Part {
    std::uint32_t instance = 0;
    std::span<const BoundStep> steps;
    /// Channels of its messages.
    std::vector<std::size_t> channels;
  };
  struct Sender {
    /// One part per frame of the sender in an iteration, and the part of the next frame.
    std::vector<Part> parts;
    std::size_t next = 0;

    /// Returns the channel of its next message.
    [[nodiscard]] std::size_t channel() const { return parts[next].channels.front(); }
  };

  [[nodiscard]] Part part_of(const ReorderProgram::Part& steps, const BoundSteps& bound) const;
  [[nodiscard]] bool has_own_frames() const { return work_ && !source_->has_ended(); }
  /// Completes the next frame in order if its result has arrived, and returns whether it has.
  [[nodiscard]] bool take_next();
  void finish_own_frame(std::span<const Datum> outputs);
  void receive_from(Sender& sender);
  void work_ahead();
  /// Waits until this moment (now_ns). Returns whether a message has arrived that may be the next one.
  bool wait_for_next(std::int64_t latest_ns);
  /// Returns whether no rank will send another frame.
  [[nodiscard]] bool has_received_all();
  /// Runs the kernels and sinks at the end of the stream.
  void end();

  RankState& state_;
  RankMemory& memory_;
  EndOfStream& end_;
  MessageIo& io_;
  SourceSharing& sharing_;
  const ParameterTracker& parameters_;
  StepRunner& runner_;
  /// The source of this rank; null if it only reorders.
  SourceFeed* source_ = nullptr;
  /// See ReorderProgram.
  std::optional<Part> work_, rest_;
  std::vector<Sender> senders_;
  /// The next frame in order.
  std::uint64_t next_ = 0;
  /// Slots of the outputs of `work` that `rest` needs, and these outputs of the last frame processed.
  std::vector<std::size_t> needed_;
  std::vector<Datum> fresh_;
  std::optional<ReorderBuffer> early_;
  /// Channels that may carry the next frame.
  std::vector<std::size_t> waited_for_;
};

}  // namespace takt::pipeline
