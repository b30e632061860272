#include "pipeline/runtime/sources/self_scheduling.hpp"

#include <algorithm>
#include <atomic>

namespace takt::pipeline {

namespace {

/// From the lowest bit on: the first unclaimed frame (52 bits last for fourteen years at ten million
/// frames/s), the last update modulo most_changes, and whether the stream has ended.
using Ticket = std::atomic<std::uint64_t>;
static_assert(sizeof(Ticket) == SelfScheduling::bytes && Ticket::is_always_lock_free);

constexpr unsigned frame_bits = 52;
constexpr std::uint64_t frame_mask = (std::uint64_t{1} << frame_bits) - 1;
constexpr std::uint64_t end_bit = std::uint64_t{1} << 63;
constexpr std::uint32_t change_mask = SelfScheduling::most_changes - 1;
static_assert(SelfScheduling::most_changes == 1U << (63 - frame_bits));

constexpr std::uint32_t change_of(std::uint64_t ticket) {
  return static_cast<std::uint32_t>(ticket >> frame_bits) & change_mask;
}

/// Returns by how many updates a ticket is ahead of this one.
constexpr std::uint32_t changes_since(std::uint32_t change, std::uint64_t ticket) {
  return (change_of(ticket) - change) & change_mask;
}

}  // namespace

void SelfScheduling::begin_iteration(std::int64_t now, bool stops, std::uint32_t change) {
  begins_change_ = false;
  if (first_ < end_) return;
  choose_rounds(now - claimed_at_);
  claimed_at_ = now;
  claim(stops, change);
}

/// Chooses claims of some 20 us. With shorter claims, ranks wait for the cache line of the ticket; longer
/// ones leave more work to the last rank.
void SelfScheduling::choose_rounds(std::int64_t lasted_ns) {
  constexpr std::int64_t wanted_ns = 20'000;
  if (lasted_ns < wanted_ns / 2)
    rounds_ = std::min(2 * rounds_, most_rounds_);
  else if (lasted_ns > 2 * wanted_ns)
    rounds_ = std::max<std::uint64_t>(rounds_ * wanted_ns / static_cast<std::uint64_t>(lasted_ns), 1);
}

void SelfScheduling::claim(bool stops, std::uint32_t change) {
  Ticket& ticket = *reinterpret_cast<Ticket*>(memory_.begin());
  const std::uint64_t count = rounds_ * frames_per_round_;
  if (stops) ticket.fetch_or(end_bit, std::memory_order_relaxed);
  std::uint64_t before;
  if (change > change_) [[unlikely]] {
    before = ticket.load(std::memory_order_relaxed);
    std::uint64_t after;
    do {
      // Another rank may have begun this update or a later one, which this rank does not know yet.
      begins_change_ = changes_since(change_, before) < change - change_;
      const std::uint64_t begun = begins_change_ ? change & change_mask : change_of(before);
      after = (before & end_bit) | begun << frame_bits | ((before & frame_mask) + count);
    } while (!ticket.compare_exchange_weak(before, after, std::memory_order_relaxed));
    change_ = begins_change_ ? change : change_ + changes_since(change_, before);
  } else {
    before = ticket.fetch_add(count, std::memory_order_relaxed);
    change_ += changes_since(change_, before);
  }
  has_ended_ = (before & end_bit) != 0;
  first_ = before & frame_mask;
  end_ = first_ + count;
}

}  // namespace takt::pipeline
