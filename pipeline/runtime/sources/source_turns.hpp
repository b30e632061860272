#pragma once
/// Ranks of one node, one or several, that each run a source of one stream, and take its frames in turn.
///
/// Which frames a rank takes the schedule says: those of its instances, in each round. What comes from
/// outside in the middle of it (a command to stop, a change of parameters) is to begin with the same round
/// everywhere, though nobody waits for the others: each rank says in shared memory which round it is about to
/// begin, then looks whether somebody is at work on a decision. Whoever wants one says so first, then reads
/// how far the others are, and lets it begin with the round behind all of them. So each rank is either
/// counted, or waits for the decision (Dekker).

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <mpi.h>

#include "pipeline/runtime/channels/node_memory.hpp"

namespace takt::pipeline {

class SourceTurns {
 public:
  /// Of the ranks that run the source; nothing on others. Collective. They share their memory
  /// (runtime/channels/nodes.hpp). Throws WorkError when it cannot be shared.
  [[nodiscard]] static std::optional<SourceTurns> agree(MPI_Comm communicator, bool takes_part);

  /// `ranks` are those that run the source, of which this is number `own`; all have `memory` in common, of
  /// this size, which begins as zeros.
  SourceTurns(NodeMemory memory, std::vector<int> ranks, std::size_t own);
  [[nodiscard]] static std::size_t bytes_for(std::size_t ranks);

  /// The rank (of the communicator) that is furthest behind, where it is so far behind this round that this
  /// rank has to wait; nothing where the round may begin. A run that stops would otherwise go on until the
  /// slowest rank has caught up, and ranks that nothing else holds together drift apart without bound.
  /// Mostly a comparison.
  [[nodiscard]] std::optional<int> waits_for(std::uint64_t round);

  /// Rounds that a rank may be ahead of the others.
  static constexpr std::uint64_t most_ahead = 64;

  /// Before this rank takes a frame of the round. `stops`: it wants the stream to end; `change`: the last one
  /// that may begin (UpdateQueue::allowed). A load and a store with a fence, where there is nothing new.
  void begin(std::uint64_t round, bool stops, std::uint32_t change);

  /// Whether the stream has ended with the round before, or earlier.
  [[nodiscard]] bool has_ended() const { return has_ended_; }
  /// The last change that has begun.
  [[nodiscard]] std::uint32_t change() const { return change_; }

 private:
  struct Decisions;

  void decide(bool stops, std::uint32_t change);
  [[nodiscard]] std::uint64_t next_for_all() const;

  NodeMemory memory_;
  Decisions* decisions_ = nullptr;
  /// By member; which of them this rank is.
  std::vector<int> ranks_;
  std::size_t own_ = 0;
  /// Rounds that all members have begun, as far as this one knows.
  std::uint64_t begun_by_all_ = 0;
  /// Decisions on changes that this rank has taken notice of.
  std::uint64_t noted_ = 0;
  std::uint32_t change_ = 0;
  bool has_ended_ = false;
};

}  // namespace takt::pipeline
