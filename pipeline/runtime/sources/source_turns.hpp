#pragma once
/// Ranks of one node that each run a source of the same stream, and take its frames in turn.
///
/// The schedule assigns the frames to the ranks: each takes those of its instances, in each iteration. A
/// command to stop or a parameter update must begin with the same iteration on all ranks, without waits. So
/// each rank stores in shared memory which iteration it is about to begin, then checks whether a rank is
/// deciding. A rank that needs a decision first sets a flag, then reads the progress of all ranks. It lets
/// the stop or the update begin with the iteration after all of them. So each rank is either counted, or
/// waits for the decision (Dekker).

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <mpi.h>

#include "pipeline/runtime/channels/node_memory.hpp"

namespace takt::pipeline {

class SourceTurns {
 public:
  /// Creates it on the ranks that run the source; returns nothing on other ranks. Collective. The ranks share
  /// memory (runtime/channels/nodes.hpp). Throws WorkError when it cannot be shared.
  [[nodiscard]] static std::optional<SourceTurns> agree(MPI_Comm communicator, bool takes_part);

  /// `ranks` run the source, and this rank has the index `own` among them. All share `memory`, which has the
  /// size of `bytes_for` and is initially zero.
  SourceTurns(NodeMemory memory, std::vector<int> ranks, std::size_t own);
  [[nodiscard]] static std::size_t bytes_for(std::size_t ranks);

  /// Returns the slowest rank (of the communicator) if this rank has to wait for it; nothing if the
  /// iteration may begin. Without this limit, a run that stops would continue until the slowest rank has
  /// caught up. Ranks without messages between them would drift apart without bound. Usually costs one
  /// comparison.
  [[nodiscard]] std::optional<int> waits_for(std::uint64_t round);

  /// Iterations that a rank may be ahead of the others.
  static constexpr std::uint64_t most_ahead = 64;

  /// Begins an iteration, before its frames are taken. `stops`: this rank requests a stop; `change`: the last
  /// update that may begin (UpdateQueue::allowed). Usually costs a load and a store with a fence.
  void begin(std::uint64_t round, bool stops, std::uint32_t change);

  /// Returns whether the stream has ended with the previous iteration, or earlier.
  [[nodiscard]] bool has_ended() const { return has_ended_; }
  /// Returns the last update that has begun.
  [[nodiscard]] std::uint32_t change() const { return change_; }

 private:
  struct Decisions;

  void decide(bool stops, std::uint32_t change);
  [[nodiscard]] std::uint64_t next_for_all() const;

  NodeMemory memory_;
  Decisions* decisions_ = nullptr;
  /// Ranks by member, and the index of this rank.
  std::vector<int> ranks_;
  std::size_t own_ = 0;
  /// Iterations that all members have begun, as far as this rank knows.
  std::uint64_t begun_by_all_ = 0;
  /// Decided updates that this rank has noticed.
  std::uint64_t noted_ = 0;
  std::uint32_t change_ = 0;
  bool has_ended_ = false;
};

}  // namespace takt::pipeline
