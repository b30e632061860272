#pragma once
/// The state of a kernel that travels with the frames: ranks of one node run the kernel in turn, in the order
/// of frames.
///
/// The ranks share one place for the state, and a number: the frame whose turn it is. The rank that has this
/// frame loads the state, calls its kernel, saves the state, and passes the turn on to the next frame. Every
/// frame has its turn, also one that the kernel does not receive (after a decimation). A rank waits only for
/// earlier frames, which other ranks have taken earlier, so no ranks wait for each other in a cycle.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <mpi.h>

#include "pipeline/config/pipeline.hpp"
#include "pipeline/program/program.hpp"
#include "pipeline/runtime/channels/node_memory.hpp"

namespace takt::pipeline {

/// One for each stage and rank. The calls from `begin_flush` on are for the rank whose turn it is.
class TravellingState {
 public:
  /// `memory` has the size `bytes_for(most)`, is initially zero, and is shared by all ranks that run the
  /// stage. The turns begin with `first_frame`.
  TravellingState(NodeMemory memory, std::size_t most, std::uint64_t first_frame, int rank)
      : memory_(std::move(memory)), most_(most), first_frame_(first_frame), rank_(rank) {}
  /// Returns the size of the memory for a state of up to `most` bytes.
  [[nodiscard]] static std::size_t bytes_for(std::size_t most);

  /// Returns whether it is the turn of this frame, or the stage has ended. Frames are compared modulo 2^32.
  [[nodiscard]] bool has_turn(std::uint64_t frame) const;
  /// Sleeps until it is, or until this moment (now_ns); may return early.
  void sleep_until_turn(std::uint64_t frame, std::int64_t latest_ns);

  /// Notes that the input has ended. Returns true for the first rank that calls it, which flushes the kernel.
  [[nodiscard]] bool begin_flush();
  /// Returns whether the kernel has been flushed.
  [[nodiscard]] bool has_ended() const;
  /// Returns whether this rank's kernel has the last state: it saved or loaded it last, or no rank has saved
  /// one.
  [[nodiscard]] bool is_own() const;
  /// Notes that this rank's kernel has loaded the saved state.
  void set_own();
  /// Return the saved state, and the last parameter update that its kernel had applied.
  [[nodiscard]] std::span<const std::byte> saved() const;
  [[nodiscard]] std::uint32_t change() const;

  /// Saves the state of this rank's kernel. Throws WorkError if it is larger than `most`.
  void save(std::span<const std::byte> state, std::uint32_t change);
  /// Ends all turns: the kernel has been flushed.
  void end();
  /// Passes the turn on to the frame after this one.
  void pass(std::uint64_t frame);

 private:
  struct Shared;
  [[nodiscard]] Shared& shared() const { return *reinterpret_cast<Shared*>(memory_.begin()); }
  [[nodiscard]] std::uint32_t number(std::uint64_t frame) const {
    return static_cast<std::uint32_t>(frame - first_frame_);
  }

  NodeMemory memory_;
  std::size_t most_;
  std::uint64_t first_frame_;
  int rank_;
};

/// By stage; null for those that do not travel, or do not run here.
using TravellingStates = std::vector<std::unique_ptr<TravellingState>>;

/// Creates the states of a program. Collective. Throws WorkError when memory cannot be shared.
[[nodiscard]] TravellingStates share_states(const Pipeline& pipeline, const RankProgram& program,
                                            std::uint64_t first_frame, MPI_Comm communicator);

}  // namespace takt::pipeline
