#pragma once
/// Scheduled events of a sender: outages, clock steps, swapped cables.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/units.hpp"
#include "sensors/packets/packet_stream.hpp"

namespace takt::sensors {

/// Times count from the beginning of the stream, by the packets of each lane.
struct SenderEvents {
  /// An outage: the packets of this interval are never sent.
  struct Pause {
    Time at{0}, length{0};
    /// Affects one lane only.
    std::optional<std::size_t> lane;
  };
  /// From here on the packets' times are shifted by this step, in whole
  /// packets.
  struct ClockJump {
    Time at{0}, step{0};
    std::optional<std::size_t> lane;
  };
  /// From here on two lanes exchange their destinations.
  struct LaneSwap {
    Time at{0};
    std::size_t one = 0, other = 0;
  };
  std::vector<Pause> pauses;
  std::vector<ClockJump> clock_jumps;
  std::vector<LaneSwap> lane_swaps;

  [[nodiscard]] bool any() const { return !pauses.empty() || !clock_jumps.empty() || !lane_swaps.empty(); }
};

/// Throws ConfigError for unknown lanes, times before the beginning, and steps below a packet.
void validate(const SenderEvents& events, std::size_t lanes, double packets_per_second);

struct SenderEventCounts {
  /// Packets not sent because of a pause.
  std::uint64_t paused = 0;
  /// Steps of the sender's clock, each counted once for all lanes; and packets with a wrong time.
  std::uint64_t clock_jumps = 0, shifted = 0;
  /// Packets sent to another lane's destination.
  std::uint64_t swapped = 0;
};

/// Forwards packets subject to the events. The result depends on a packet's lane and number only.
class SenderEventStage {
 public:
  /// `codec` must outlive the object. Throws ConfigError.
  SenderEventStage(const SenderEvents& events, std::size_t lanes, const PacketCodec& codec);

  /// Returns the packet to send, valid until the next call; nothing if it is not sent. Throws WorkError if
  /// its time cannot be shifted.
  [[nodiscard]] std::optional<LanePacket> take(const LanePacket& packet);

  [[nodiscard]] const SenderEventCounts& counts() const { return counts_; }

 private:
  /// For a lane, in its packets.
  struct Interval {
    std::uint64_t begin, end;
  };
  struct Step {
    std::uint64_t at;
    std::int64_t packets;
    /// The index of the clock's step.
    std::size_t jump;
    /// Begins with the first packet of another time: a sender reads its clock once per packet time.
    bool has_begun = false;
  };
  struct Lane {
    std::uint64_t packets = 0;
    /// Time of its last packet with one.
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
  /// The clock's steps that some lane has made.
  std::vector<bool> jumped_;
  std::vector<std::byte> bytes_;
  SenderEventCounts counts_;
};

}  // namespace takt::sensors
