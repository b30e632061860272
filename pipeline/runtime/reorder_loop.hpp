#pragma once
/// Iterations of the rank that puts self-scheduled frames into their order.

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

/// The other ranks send it the results of the frames that they have claimed. It works at frames like the
/// others; when one of its own is done before frames that other ranks have claimed earlier, it keeps the
/// result (ReorderBuffer) and claims another frame. So it waits only where it is far ahead.
class ReorderLoop {
 public:
  /// All must outlive it.
  ReorderLoop(RankState& state, RankMemory& memory, EndOfStream& end, const RankStages& stages, MessageIo& io,
              SourceSharing& sharing, const ParameterTracker& parameters, StepRunner& runner,
              const BoundSteps& steps);

  /// In place of an iteration: all frames whose turn it is, then one of its own; or it waits.
  void run();

 private:
  struct Part {
    std::uint32_t instance = 0;
    std::span<const BoundStep> steps;
    /// In which its messages come.
    std::vector<std::size_t> channels;
  };
  struct Sender {
    /// One for each of its frames in an iteration, and the one whose frame comes next.
    std::vector<Part> parts;
    std::size_t next = 0;

    /// The channel of its next message.
    [[nodiscard]] std::size_t channel() const { return parts[next].channels.front(); }
  };

  [[nodiscard]] Part part_of(const ReorderProgram::Part& steps, const BoundSteps& bound) const;
  [[nodiscard]] bool has_own_frames() const { return work_ && !source_->has_ended(); }
  /// Does what is left to do with the frame whose turn it is, where its result is there.
  [[nodiscard]] bool take_next();
  void finish_own_frame(std::span<const Datum> outputs);
  void receive_from(Sender& sender);
  void work_ahead();
  /// Whether, by this moment (now_ns), a message has come that may be the next one.
  bool wait_for_next(std::int64_t latest_ns);
  /// Whether no rank will send a frame any more.
  [[nodiscard]] bool has_received_all();
  /// What kernels and sinks do at the end.
  void end();

  RankState& state_;
  RankMemory& memory_;
  EndOfStream& end_;
  MessageIo& io_;
  SourceSharing& sharing_;
  const ParameterTracker& parameters_;
  StepRunner& runner_;
  /// Of this rank; null where it only reorders.
  SourceFeed* source_ = nullptr;
  /// See ReorderProgram.
  std::optional<Part> work_, rest_;
  std::vector<Sender> senders_;
  /// The frame whose turn it is.
  std::uint64_t next_ = 0;
  /// Slots of the outputs that `rest` needs of `work`; and these of the frame that was worked at last.
  std::vector<std::size_t> needed_;
  std::vector<Datum> fresh_;
  std::optional<ReorderBuffer> early_;
  /// Channels in which the next frame may come.
  std::vector<std::size_t> waited_for_;
};

}  // namespace takt::pipeline
