#pragma once
/// What networks and broken senders do to packets, on purpose and counted.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/units.hpp"
#include "sensors/packets/packet_stream.hpp"

namespace takt::sensors {

/// Probabilities for each packet, but for the last one.
struct Faults {
  double drop = 0;
  double duplicate = 0;
  /// Sent 1 to 8 packets of its lane later than it should be.
  double reorder = 0;
  /// Sent with a header that must be refused, or cut short.
  double corrupt = 0;
  /// Preceded by a datagram of random length and bytes.
  double garbage = 0;
  /// Every packet is sent later by up to so long, each by another time, counted in packets of its lane: 0 to
  /// jitter * packets a second of them.
  Time jitter{0};

  [[nodiscard]] bool any() const {
    return drop + duplicate + reorder + corrupt + garbage > 0 || jitter > Time(0);
  }
};

/// The most packets that jitter may delay one.
inline constexpr std::size_t longest_jitter = 4096;

/// Throws ConfigError.
void validate(const Faults& faults);

struct FaultCounts {
  std::uint64_t dropped = 0;
  std::uint64_t duplicated = 0;
  std::uint64_t reordered = 0;
  /// Delayed by jitter.
  std::uint64_t jittered = 0;
  /// Good packets that left when a later one of their lane had left: what a receiver counts as
  /// `packets_reordered`, where they come in time.
  std::uint64_t overtaken = 0;
  /// By the cause for which a receiver refuses them (PacketCodec::causes).
  std::vector<std::uint64_t> corrupted;
  std::uint64_t garbage = 0;

  [[nodiscard]] std::uint64_t corrupted_in_all() const;
};

/// Passes a stream on with faults. The first and the last packet of each lane are spared, so that a receiver
/// knows of every packet in between: packets = received + lost holds there with lost = dropped + corrupted.
/// What happens to a packet follows from the seed, its lane and its number alone.
class FaultInjector {
 public:
  using Output = std::function<void(const LanePacket&)>;

  /// `codec` must outlive it.
  FaultInjector(const Faults& faults, std::size_t lanes, std::uint64_t seed, const PacketCodec& codec,
                Output output);

  void take(const LanePacket& packet);
  /// The stream is over: passes on what was held back.
  void finish();

  [[nodiscard]] const FaultCounts& counts() const { return counts_; }

 private:
  struct Delayed {
    std::vector<std::byte> bytes;
    std::size_t copies;
    std::uint64_t number, due;
  };
  /// A packet is passed on when its successor shows that it is not the last one.
  struct Lane {
    std::uint64_t packets = 0;
    std::optional<std::vector<std::byte>> previous;
    std::vector<Delayed> delayed;
    /// Of the good packets that were passed on, the latest one.
    std::uint64_t newest = 0;
  };

  void pass_on(std::size_t lane, bool spared);
  void put(std::size_t lane, std::uint64_t number, std::span<const std::byte> bytes, std::size_t copies);
  void release(std::size_t lane, std::uint64_t due);

  const Faults faults_;
  const std::uint64_t seed_;
  const std::uint64_t jitter_packets_;
  const PacketCodec& codec_;
  Output output_;
  std::vector<Lane> lanes_;
  FaultCounts counts_;
};

}  // namespace takt::sensors
