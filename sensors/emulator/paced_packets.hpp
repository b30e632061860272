#pragma once
/// A stream's packets, each with the moment at which a sender sends it.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "sensors/packets/packet_stream.hpp"

namespace takt::sensors {

struct DuePacket {
  LanePacket packet;
  /// Nanoseconds after the first packet; never decreases.
  std::int64_t due_ns = 0;
};

/// Packets are due at their own times, by capture or header, at a multiple of real time. A time further away
/// from the last moment than a second, and than a lane's packets are on average, counts only where most of
/// the next `witnesses` packets agree with its order; otherwise the header is damaged, and the packet follows
/// its predecessor at once. A clock that was set back goes on from the last moment.
class PacedPackets {
 public:
  static constexpr std::size_t witnesses = 8;

  /// `speed`: multiple of real time, 0 for as fast as possible. A `packet_rate` above 0, in packets/s of all
  /// lanes, replaces the packets' own times.
  PacedPackets(PacketStream& stream, double speed, double packet_rate);

  /// The next packet, or nothing at the end. Bytes are valid until the next call.
  [[nodiscard]] std::optional<DuePacket> next();

 private:
  struct Held {
    std::size_t lane = 0;
    std::vector<std::byte> bytes;
    std::optional<std::int64_t> utc_ns;
  };

  [[nodiscard]] std::optional<LanePacket> take();
  [[nodiscard]] std::optional<std::int64_t> utc_of(const LanePacket& packet) const;
  /// Nanoseconds after the first packet.
  [[nodiscard]] std::int64_t time_of(std::int64_t utc_ns) const;
  [[nodiscard]] std::int64_t due(LanePacket& packet);
  /// When a packet is due whose time is far from the last moment.
  [[nodiscard]] std::int64_t settle(std::int64_t utc_ns, LanePacket& packet);
  void look_ahead(LanePacket& packet);
  [[nodiscard]] Held held(const LanePacket& packet) const;

  PacketStream& stream_;
  const double speed_, packet_rate_;
  /// Further away from the last moment a time needs witnesses: one second, or a packet of a lane.
  std::int64_t far_ns_;
  std::uint64_t number_ = 0;
  /// The Unix time of moment 0, in nanoseconds.
  long double base_utc_ = 0;
  std::int64_t last_ = 0;
  /// The packet shown, where it had to be copied, and those after it.
  Held shown_;
  std::deque<Held> ahead_;
};

}  // namespace takt::sensors
