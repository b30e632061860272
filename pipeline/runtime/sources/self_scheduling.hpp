#pragma once
/// Ranks of one node that share a source, and claim the next frames of the stream whenever they are free.
///
/// What all of them share is one number, the ticket: the first frame that nobody has claimed. A rank takes a
/// few frames from there at once, by one atomic addition, so that a rank whose processor is slow, or that has
/// met expensive frames, takes fewer of them and nobody waits for it. Two more things are said in the ticket:
/// that nothing is to be claimed any more, and which change of parameters holds from there on. So whatever
/// comes from outside in the middle of the stream begins with one frame everywhere, and the stream that has
/// been processed has no hole, though no rank hears of another.

#include <cstddef>
#include <cstdint>
#include <utility>

#include "pipeline/runtime/channels/node_memory.hpp"

namespace takt::pipeline {

class SelfScheduling {
 public:
  /// What the ranks must have in common (runtime/channels/nodes.hpp: share_memory).
  static constexpr std::size_t bytes = sizeof(std::uint64_t);
  /// This rank claims so many frames a round, and those of so many rounds at once at most.
  SelfScheduling(NodeMemory memory, std::uint64_t frames_a_round, std::uint64_t most_rounds = 64)
      : memory_(std::move(memory)), frames_a_round_(frames_a_round), most_rounds_(most_rounds) {}

  /// Before a round that begins at `now` (now_ns). `stops`: this rank wants the stream to end; `change`: the
  /// last one that may begin (UpdateQueue::allowed). An atomic addition for the rounds of some 20 us.
  void begin_round(std::int64_t now, bool stops, std::uint32_t change);
  /// Its frames are done.
  void end_round() { first_ += frames_a_round_; }

  /// Of the round, or, between two of them, of the next one: number of its first frame. They follow one
  /// another, and are done in any order.
  [[nodiscard]] std::uint64_t first() const { return first_; }
  /// Whether the stream has ended before the round: nothing is claimed.
  [[nodiscard]] bool has_ended() const { return has_ended_; }
  /// The last change that holds for the frames of the round, and whether it begins with the first one.
  [[nodiscard]] std::uint32_t change() const { return change_; }
  [[nodiscard]] bool begins_change() const { return begins_change_; }

  /// A rank that hears of so many changes at once takes the last ones for earlier ones.
  static constexpr std::uint32_t most_changes = 2048;

 private:
  void claim(bool stops, std::uint32_t change);
  void choose_rounds(std::int64_t lasted_ns);

  NodeMemory memory_;
  std::uint64_t frames_a_round_ = 1, most_rounds_ = 1;
  /// Claimed at once, since when (now_ns), and behind the last frame of them.
  std::uint64_t rounds_ = 1;
  std::int64_t claimed_at_ = 0;
  std::uint64_t first_ = 0, end_ = 0;
  std::uint32_t change_ = 0;
  bool has_ended_ = false, begins_change_ = false;
};

}  // namespace takt::pipeline
