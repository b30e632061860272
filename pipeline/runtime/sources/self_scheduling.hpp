#pragma once
/// Self-scheduling: ranks of one node share a source, and each claims the next frames when it is free.
///
/// The ranks share one number, the ticket: the first unclaimed frame. A rank claims a few frames with one
/// atomic addition. So a rank with a slow processor or expensive frames claims fewer of them, and no rank
/// waits for it. The ticket also contains two states: whether the stream has ended, and which parameter
/// update applies from that frame on. So a command to stop or an update in the middle of the stream begins
/// with the same frame on all ranks. The processed stream has no gap, although the ranks do not communicate
/// in any other way.

#include <cstddef>
#include <cstdint>
#include <utility>

#include "pipeline/runtime/channels/node_memory.hpp"

namespace takt::pipeline {

class SelfScheduling {
 public:
  /// Size of the memory that the ranks share (runtime/channels/nodes.hpp: share_memory).
  static constexpr std::size_t bytes = sizeof(std::uint64_t);
  /// A rank claims so many frames per iteration, for at most `most_rounds` iterations in one claim.
  SelfScheduling(NodeMemory memory, std::uint64_t frames_per_round, std::uint64_t most_rounds = 64)
      : memory_(std::move(memory)), frames_per_round_(frames_per_round), most_rounds_(most_rounds) {}

  /// Begins an iteration at `now` (now_ns). `stops`: this rank requests the end of the stream; `change`: the
  /// last update that may begin (UpdateQueue::allowed). Costs one atomic addition per claim of some 20 us.
  void begin_iteration(std::int64_t now, bool stops, std::uint32_t change);
  /// Ends an iteration, whose frames are done.
  void end_iteration() { first_ += frames_per_round_; }

  /// Returns the first frame of the iteration or, between two iterations, of the next one. Its frames are
  /// consecutive, and are processed in any order.
  [[nodiscard]] std::uint64_t first() const { return first_; }
  /// Returns whether the stream has ended before the iteration, which then has no frames.
  [[nodiscard]] bool has_ended() const { return has_ended_; }
  /// Return the last update that applies to the iteration, and whether it begins with the first frame.
  [[nodiscard]] std::uint32_t change() const { return change_; }
  [[nodiscard]] bool begins_change() const { return begins_change_; }

  /// Updates are numbered modulo this: a rank must not miss so many of them between two claims.
  static constexpr std::uint32_t most_changes = 2048;

 private:
  void claim(bool stops, std::uint32_t change);
  void choose_rounds(std::int64_t lasted_ns);

  NodeMemory memory_;
  std::uint64_t frames_per_round_ = 1, most_rounds_ = 1;
  /// Iterations per claim, the moment of the last claim (now_ns), its next frame, and the end of its frames.
  std::uint64_t rounds_ = 1;
  std::int64_t claimed_at_ = 0;
  std::uint64_t first_ = 0, end_ = 0;
  std::uint32_t change_ = 0;
  bool has_ended_ = false, begins_change_ = false;
};

}  // namespace takt::pipeline
