#include "pipeline/runtime/travelling_state.hpp"

#include <atomic>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/system/futex.hpp"
#include "pipeline/runtime/channels/nodes.hpp"

namespace takt::pipeline {

/// Zeroed memory is valid: no turn has passed, and no state is saved. The state follows.
struct TravellingState::Shared {
  /// Number of turns so far, modulo 2^32; futex. The turns order all accesses to what follows.
  alignas(64) std::atomic<std::uint32_t> passed;
  std::atomic<std::uint32_t> has_ended;
  /// Ranks that sleep.
  alignas(64) std::atomic<std::uint32_t> sleepers;
  /// One more than the rank whose kernel has the state, and than the one that flushes the kernel; 0: none.
  alignas(64) int held_by;
  int flushed_by;
  std::uint32_t change;
  std::size_t bytes;

  [[nodiscard]] std::byte* state() { return reinterpret_cast<std::byte*>(this + 1); }
};

std::size_t TravellingState::bytes_for(std::size_t most) {
  return sizeof(Shared) + most;
}

bool TravellingState::has_turn(std::uint64_t frame) const {
  const Shared& own = shared();
  return own.passed.load(std::memory_order_acquire) == number(frame) ||
         own.has_ended.load(std::memory_order_acquire) != 0;
}

void TravellingState::sleep_until_turn(std::uint64_t frame, std::int64_t latest_ns) {
  Shared& own = shared();
  // Either this rank sees the turn, or the rank that passes it on sees the sleeper (Dekker).
  own.sleepers.fetch_add(1, std::memory_order_seq_cst);
  const std::uint32_t passed = own.passed.load(std::memory_order_seq_cst);
  if (passed != number(frame) && own.has_ended.load(std::memory_order_seq_cst) == 0)
    futex_wait(own.passed, passed, latest_ns);
  own.sleepers.fetch_sub(1, std::memory_order_relaxed);
}

bool TravellingState::begin_flush() {
  Shared& own = shared();
  if (has_ended()) return false;
  if (own.flushed_by == 0) own.flushed_by = rank_ + 1;
  return own.flushed_by == rank_ + 1;
}

bool TravellingState::has_ended() const {
  return shared().has_ended.load(std::memory_order_acquire) != 0;
}

bool TravellingState::is_own() const {
  return shared().held_by == 0 || shared().held_by == rank_ + 1;
}

void TravellingState::set_own() {
  shared().held_by = rank_ + 1;
}

std::span<const std::byte> TravellingState::saved() const {
  return {shared().state(), shared().bytes};
}

std::uint32_t TravellingState::change() const {
  return shared().change;
}

void TravellingState::save(std::span<const std::byte> state, std::uint32_t change) {
  if (state.size() > most_)
    throw WorkError(
        fmt::format("its state has {} bytes, but it declares at most {} (Kernel::travelling_state)",
                    state.size(), most_));
  Shared& own = shared();
  if (!state.empty()) std::memcpy(own.state(), state.data(), state.size());
  own.bytes = state.size();
  own.change = change;
  set_own();
}

void TravellingState::end() {
  shared().has_ended.store(1, std::memory_order_release);
}

void TravellingState::pass(std::uint64_t frame) {
  Shared& own = shared();
  // After the end, the turns need not be in order.
  own.passed.store(number(frame) + 1, std::memory_order_release);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (own.sleepers.load(std::memory_order_relaxed) != 0) futex_wake(own.passed);
}

TravellingStates share_states(const Pipeline& pipeline, const RankProgram& program, std::uint64_t first_frame,
                              MPI_Comm communicator) {
  TravellingStates states(pipeline.stages.size());
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  for (const RankProgram::Travelling& each : program.travelling) {
    const bool runs_here = instances_of(program, each.stage) > 0;
    const std::size_t most = pipeline.stages[each.stage].travelling.count;
    NodeMemory memory = share_memory(communicator, runs_here, TravellingState::bytes_for(most));
    if (runs_here)
      states[each.stage] = std::make_unique<TravellingState>(std::move(memory), most, first_frame, rank);
  }
  return states;
}

}  // namespace takt::pipeline
