#pragma once
/// Injection of network and sender faults into a packet stream, with counts.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/units.hpp"
#include "sensors/packets/packet_stream.hpp"

namespace takt::sensors {

/// Probabilities for each packet, except the last member.
struct Faults {
  double drop = 0;
  double duplicate = 0;
  /// Sent 1 to 8 packets of its lane late.
  double reorder = 0;
  /// Sent with a header that must be refused, or truncated.
  double corrupt = 0;
  /// Preceded by a datagram of random length and bytes.
  double garbage = 0;
  /// Largest random delay of each packet, counted in packets of its lane: 0 to jitter * packets per second of
  /// them.
  Time jitter{0};

  [[nodiscard]] bool any() const {
    return drop + duplicate + reorder + corrupt + garbage > 0 || jitter > Time(0);
  }
};

/// Largest delay by jitter, in packets.
inline constexpr std::size_t longest_jitter = 4096;

/// Throws ConfigError.
void validate(const Faults& faults);

struct FaultCounts {
  std::uint64_t dropped = 0;
  std::uint64_t duplicated = 0;
  std::uint64_t reordered = 0;
  /// Delayed by jitter.
  std::uint64_t jittered = 0;
  /// Valid packets sent after a later one of their lane: the receiver's `packets_reordered`, if they arrive
  /// in time.
  std::uint64_t overtaken = 0;
  /// By the receiver's cause of refusal (PacketCodec::causes).
  std::vector<std::uint64_t> corrupted;
  std::uint64_t garbage = 0;

  [[nodiscard]] std::uint64_t corrupted_in_all() const;
};

/// Forwards a stream with faults. The first and the last packet of each lane are spared, so that a receiver
/// can count all packets in between: packets = received + lost with lost = dropped + corrupted. The faults of
/// a packet depend on the seed, its lane and its number only.
class FaultInjector {
 public:
  using Output = std::function<void(const LanePacket&)>;

  /// `codec` must outlive the object.
  FaultInjector(const Faults& faults, std::size_t lanes, std::uint64_t seed, const PacketCodec& codec,
                Output output);

  void take(const LanePacket& packet);
  /// Ends the stream: forwards the held packets.
  void finish();

  [[nodiscard]] const FaultCounts& counts() const { return counts_; }

 private:
  struct Delayed {
    std::vector<std::byte> bytes;
    std::size_t copies;
    std::uint64_t number, due;
  };
  /// A packet is forwarded when its successor shows that it is not the last one.
  struct Lane {
    std::uint64_t packets = 0;
    std::optional<std::vector<std::byte>> previous;
    std::vector<Delayed> delayed;
    /// Number of the latest valid packet that was forwarded.
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
