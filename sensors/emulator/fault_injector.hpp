#pragma once
/// What networks and broken senders do to packets, on purpose and counted.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "sensors/packet_stream.hpp"

namespace takt::sensors {

/// Probabilities for each packet.
struct Faults {
  double drop = 0;
  double duplicate = 0;
  /// Sent 1 to 8 packets of its lane later than it should be.
  double reorder = 0;
  /// Sent with a header that must be refused, or cut short.
  double corrupt = 0;
  /// Preceded by a datagram of random length and bytes.
  double garbage = 0;

  [[nodiscard]] bool any() const { return drop + duplicate + reorder + corrupt + garbage > 0; }
};

/// Throws ConfigError.
void validate(const Faults& faults);

struct FaultCounts {
  std::uint64_t dropped = 0;
  std::uint64_t duplicated = 0;
  std::uint64_t reordered = 0;
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
    std::uint64_t due;
  };
  /// A packet is passed on when its successor shows that it is not the last one.
  struct Lane {
    std::uint64_t packets = 0;
    std::optional<std::vector<std::byte>> previous;
    std::vector<Delayed> delayed;
  };

  void pass_on(std::size_t lane, bool spared);
  void release(std::size_t lane, std::uint64_t due);

  const Faults faults_;
  const std::uint64_t seed_;
  const PacketCodec& codec_;
  Output output_;
  std::vector<Lane> lanes_;
  FaultCounts counts_;
};

}  // namespace takt::sensors
