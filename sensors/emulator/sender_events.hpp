#pragma once
/// What happens to a sender at moments of its stream: outages, clocks that step, cables that are swapped.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/units.hpp"
#include "sensors/packets/packet_stream.hpp"

namespace takt::sensors {

/// Moments are counted from the beginning of the stream, by the packets of each lane.
struct SenderEvents {
  /// Nothing is sent for so long, and what belongs there never is.
  struct Pause {
    Time at{0}, length{0};
    /// Of one lane only.
    std::optional<std::size_t> lane;
  };
  /// From here on packets tell a time that is later by this step (earlier, where it is negative), by whole
  /// packets.
  struct ClockJump {
    Time at{0}, step{0};
    std::optional<std::size_t> lane;
  };
  /// From here on each of two lanes goes where the other one went.
  struct LaneSwap {
    Time at{0};
    std::size_t one = 0, other = 0;
  };
  std::vector<Pause> pauses;
  std::vector<ClockJump> clock_jumps;
  std::vector<LaneSwap> lane_swaps;

  [[nodiscard]] bool any() const { return !pauses.empty() || !clock_jumps.empty() || !lane_swaps.empty(); }
};

/// Throws ConfigError: of lanes that are not there, moments before the beginning, steps below a packet.
void validate(const SenderEvents& events, std::size_t lanes, double packets_a_second);

struct SenderEventCounts {
  /// Packets that a pause kept from being sent.
  std::uint64_t paused = 0;
  /// Steps of the sender's clock, each once however many lanes it has; and packets that tell a wrong time.
  std::uint64_t clock_jumps = 0, shifted = 0;
  /// Packets that went to another lane's destination.
  std::uint64_t swapped = 0;
};

/// Passes packets on as the events have it. What happens follows from a packet's lane and number alone.
class SenderEventStage {
 public:
  /// `codec` must outlive it. Throws ConfigError.
  SenderEventStage(const SenderEvents& events, std::size_t lanes, const PacketCodec& codec);

  /// The packet as it is to be sent, valid until the next call; nothing where it is not. Throws WorkError
  /// when its time cannot be moved.
  [[nodiscard]] std::optional<LanePacket> take(const LanePacket& packet);

  [[nodiscard]] const SenderEventCounts& counts() const { return counts_; }

 private:
  /// Of a lane, in its packets.
  struct Interval {
    std::uint64_t begin, end;
  };
  struct Step {
    std::uint64_t at;
    std::int64_t packets;
    /// Which of the clock's steps it is.
    std::size_t jump;
    /// With the first packet of another time: a sender reads its clock once for packets that share a time.
    bool has_begun = false;
  };
  struct Lane {
    std::uint64_t packets = 0;
    /// Of its last packet with one.
    std::optional<std::int64_t> utc_ns;
    std::vector<Interval> pauses;
    std::vector<Step> steps;
  };
  struct Swap {
    std::uint64_t at;
    std::size_t one, other;
  };

  const PacketCodec& codec_;
  std::vector<Lane> lanes_;
  std::vector<Swap> swaps_;
  /// Of the clock's steps, those that some lane has made.
  std::vector<bool> jumped_;
  std::vector<std::byte> bytes_;
  SenderEventCounts counts_;
};

}  // namespace takt::sensors
