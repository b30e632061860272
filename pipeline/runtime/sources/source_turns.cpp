#include "pipeline/runtime/sources/source_turns.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <utility>
#include <vector>

#include "logp/mpi/blocking.hpp"
#include "pipeline/runtime/channels/nodes.hpp"
#include "pipeline/runtime/sources/waiting.hpp"

namespace takt::pipeline {

namespace {

/// Largest number of decided updates that some rank has not noticed yet; further ones wait.
constexpr std::size_t most_open = 64;

}  // namespace

/// Anonymous memory is initially zero: no iteration begun, nothing decided.
struct SourceTurns::Decisions {
  struct alignas(64) Member {
    /// One more than the last iteration that the rank has begun.
    std::atomic<std::uint64_t> begun;
    std::atomic<std::uint64_t> noted;
  };
  struct Change {
    std::uint64_t round;
    std::uint32_t number;
  };

  /// 1 while a rank decides.
  alignas(64) std::atomic<std::uint32_t> is_deciding;
  /// One more than the first iteration after the end; 0: not decided.
  std::atomic<std::uint64_t> end;
  /// Number of decided updates, and the iterations with which they begin.
  std::atomic<std::uint64_t> change_count;
  std::array<Change, most_open> changes;

  Member& member(std::size_t index) { return reinterpret_cast<Member*>(this + 1)[index]; }
};

std::size_t SourceTurns::bytes_for(std::size_t ranks) {
  return sizeof(Decisions) + ranks * sizeof(Decisions::Member);
}

SourceTurns::SourceTurns(NodeMemory memory, std::vector<int> ranks, std::size_t own)
    : memory_(std::move(memory)),
      decisions_(reinterpret_cast<Decisions*>(memory_.begin())),
      ranks_(std::move(ranks)),
      own_(own) {}

std::optional<SourceTurns> SourceTurns::agree(MPI_Comm communicator, bool takes_part) {
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  const std::vector<int> all = mpi::gather(takes_part ? 1 : 0, communicator);
  std::vector<int> ranks;
  for (std::size_t each = 0; each < all.size(); ++each)
    if (all[each] == 1) ranks.push_back(static_cast<int>(each));
  if (ranks.empty()) return std::nullopt;
  NodeMemory memory = share_memory(communicator, takes_part, bytes_for(ranks.size()));
  if (!takes_part) return std::nullopt;
  const auto own = static_cast<std::size_t>(std::ranges::find(ranks, rank) - ranks.begin());
  return std::optional<SourceTurns>(std::in_place, std::move(memory), std::move(ranks), own);
}

std::optional<int> SourceTurns::waits_for(std::uint64_t round) {
  if (round < begun_by_all_ + most_ahead) return std::nullopt;
  std::size_t slowest = 0;
  begun_by_all_ = std::numeric_limits<std::uint64_t>::max();
  for (std::size_t member = 0; member < ranks_.size(); ++member) {
    const std::uint64_t begun = decisions_->member(member).begun.load(std::memory_order_acquire);
    if (begun >= begun_by_all_) continue;
    begun_by_all_ = begun;
    slowest = member;
  }
  if (round < begun_by_all_ + most_ahead) return std::nullopt;
  return ranks_[slowest];
}

void SourceTurns::begin(std::uint64_t round, bool stops, std::uint32_t change) {
  Decisions& decisions = *decisions_;
  decisions.member(own_).begun.store(round + 1, std::memory_order_seq_cst);
  while (decisions.is_deciding.load(std::memory_order_seq_cst) != 0) spin_pause();
  if ((stops && decisions.end.load(std::memory_order_acquire) == 0) || change > change_)
    decide(stops, change);
  const std::uint64_t count = decisions.change_count.load(std::memory_order_acquire);
  while (noted_ < count && decisions.changes[noted_ % most_open].round <= round)
    change_ = decisions.changes[noted_++ % most_open].number;
  decisions.member(own_).noted.store(noted_, std::memory_order_release);
  const std::uint64_t end = decisions.end.load(std::memory_order_acquire);
  has_ended_ = end != 0 && round + 1 >= end;
}

void SourceTurns::decide(bool stops, std::uint32_t change) {
  Decisions& decisions = *decisions_;
  std::uint32_t free = 0;
  while (!decisions.is_deciding.compare_exchange_weak(free, 1, std::memory_order_seq_cst)) {
    free = 0;
    spin_pause();
  }
  if (stops && decisions.end.load(std::memory_order_relaxed) == 0)
    decisions.end.store(next_for_all() + 1, std::memory_order_release);
  const std::uint64_t count = decisions.change_count.load(std::memory_order_relaxed);
  const bool is_known = count > 0 && decisions.changes[(count - 1) % most_open].number >= change;
  std::uint64_t least_noted = count;
  for (std::size_t member = 0; member < ranks_.size(); ++member)
    least_noted = std::min(least_noted, decisions.member(member).noted.load(std::memory_order_acquire));
  if (change > 0 && !is_known && count - least_noted < most_open) {
    decisions.changes[count % most_open] = {next_for_all(), change};
    decisions.change_count.store(count + 1, std::memory_order_release);
  }
  decisions.is_deciding.store(0, std::memory_order_seq_cst);
}

/// Returns the iteration after all that any rank has begun.
std::uint64_t SourceTurns::next_for_all() const {
  std::uint64_t next = 0;
  for (std::size_t member = 0; member < ranks_.size(); ++member)
    next = std::max(next, decisions_->member(member).begun.load(std::memory_order_seq_cst));
  return next;
}

}  // namespace takt::pipeline
