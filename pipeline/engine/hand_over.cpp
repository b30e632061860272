#include "pipeline/engine/hand_over.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>

#include <fmt/format.h>

#include "core/clock.hpp"
#include "core/kept_affinity.hpp"
#include "logp/mpi/blocking.hpp"
#include "pipeline/engine/pinning.hpp"
#include "pipeline/engine/waiting.hpp"

namespace takt::pipeline {

namespace {

constexpr std::size_t message_bytes = 1024;
constexpr std::uint64_t times = 200;
/// Somebody else has the other's processor then.
constexpr std::int64_t patience_ns = 2'000'000;

}  // namespace

/// Anonymous memory begins as zeros.
struct HandOver::Shared {
  struct Side {
    alignas(64) std::atomic<std::uint64_t> sent{0};
    alignas(64) std::array<std::byte, message_bytes> message{};
  };
  std::array<Side, 2> sides;
};

HandOver::HandOver(const NodeShare& share, std::optional<cpu_set_t> processors, MPI_Comm communicator)
    : communicator_(communicator), processors_(processors) {
  MPI_Comm_rank(communicator, &rank_);
  // Also of ranks that hand frames over by messages, whatever they might share.
  const std::vector<int> nodes = mpi::gather(share.node, communicator);
  const std::vector<int> crowded = mpi::gather(share.is_crowded() ? 1 : 0, communicator);
  for (std::size_t i = 0; i < nodes.size() && ranks_.size() < 2; ++i) {
    if (crowded[i] != 0) continue;
    const auto other = std::find(nodes.begin() + static_cast<std::ptrdiff_t>(i) + 1, nodes.end(), nodes[i]);
    if (other != nodes.end()) ranks_ = {static_cast<int>(i), static_cast<int>(other - nodes.begin())};
  }
  if (ranks_.empty()) return;
  const bool takes_part = std::ranges::find(ranks_, rank_) != ranks_.end();
  memory_ = share_memory(communicator, takes_part, sizeof(Shared));
}

std::optional<double> HandOver::look() {
  if (ranks_.empty()) return std::nullopt;
  ++looks_;
  const KeptAffinity keeper;
  if (processors_) keep_to(*processors_);
  mpi::barrier(communicator_);
  std::optional<double> seen;
  const auto place = std::ranges::find(ranks_, rank_);
  if (place != ranks_.end()) seen = exchange(place == ranks_.begin());
  // Each of the two has its own quartile, of the same round trips: the first one's counts.
  const std::vector<std::string> all =
      mpi::gather(seen ? fmt::format("{}", *seen) : std::string(), communicator_);
  if (std::ranges::any_of(ranks_, [&](int rank) { return all[static_cast<std::size_t>(rank)].empty(); }))
    return std::nullopt;
  return std::stod(all[static_cast<std::size_t>(ranks_.front())]);
}

std::optional<double> HandOver::exchange(bool begins) {
  auto& shared = *reinterpret_cast<Shared*>(memory_.begin());
  Shared::Side &own = shared.sides[begins ? 0 : 1], &other = shared.sides[begins ? 1 : 0];
  std::array<std::byte, message_bytes> message{};
  std::vector<double> taken;
  taken.reserve(times);
  // Behind all of the looks before, however they ended.
  const std::uint64_t first = looks_ * 2 * times;
  const auto send = [&](std::uint64_t number) {
    std::memcpy(own.message.data(), message.data(), message.size());
    own.sent.store(number, std::memory_order_release);
  };
  std::int64_t last = now_ns();
  for (std::uint64_t number = first + 1; number <= first + times; ++number) {
    if (begins) send(number);
    for (std::uint32_t spins = 0; other.sent.load(std::memory_order_acquire) != number; ++spins) {
      constexpr std::uint32_t looks_at_clock = 1024;
      if (spins % looks_at_clock == looks_at_clock - 1 && now_ns() - last > patience_ns) return std::nullopt;
      spin_pause();
    }
    std::memcpy(message.data(), other.message.data(), message.size());
    if (!begins) send(number);
    const std::int64_t now = now_ns();
    taken.push_back(static_cast<double>(now - last));
    last = now;
  }
  const auto quartile = taken.begin() + static_cast<std::ptrdiff_t>(taken.size() / 4);
  std::ranges::nth_element(taken, quartile);
  return *quartile;
}

}  // namespace takt::pipeline
