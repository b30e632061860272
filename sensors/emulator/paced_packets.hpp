#pragma once
/// A stream's packets, each with its sending time.

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

/// Packets are due at their own times, from capture or header, at a multiple of real time. A time further
/// from the last one than a second, and than a lane's mean packet distance, needs witnesses: it counts only
/// if most of the next `witnesses` packets agree with its order. Otherwise the header is damaged, and the
/// packet immediately follows its predecessor. A clock that was set back continues from the last time.
class PacedPackets {
 public:
  static constexpr std::size_t witnesses = 8;

  /// `speed`: multiple of real time, 0 for as fast as possible. A `packet_rate` above 0, in packets/s of all
  /// lanes, replaces the packets' own times.
  PacedPackets(PacketStream& stream, double speed, double packet_rate);

  /// Returns the next packet, or nothing at the end. The bytes are valid until the next call.
  [[nodiscard]] std::optional<DuePacket> next();

 private:
  struct Held {
    std::size_t lane = 0;
    std::vector<std::byte> bytes;
    std::optional<std::int64_t> utc_ns;
  };

  [[nodiscard]] std::optional<LanePacket> take();
  [[nodiscard]] std::optional<std::int64_t> utc_of(const LanePacket& packet) const;
  /// Returns nanoseconds after the first packet.
  [[nodiscard]] std::int64_t time_of(std::int64_t utc_ns) const;
  [[nodiscard]] std::int64_t due(LanePacket& packet);
  /// Returns the due time of a packet whose time is far from the last one.
  [[nodiscard]] std::int64_t settle(std::int64_t utc_ns, LanePacket& packet);
  void look_ahead(LanePacket& packet);
  [[nodiscard]] Held held(const LanePacket& packet) const;

  PacketStream& stream_;
  const double speed_, packet_rate_;
  /// Distance from the last time beyond which witnesses are required: one second, or a packet of a lane.
  std::int64_t far_ns_;
  std::uint64_t number_ = 0;
  /// The Unix time of time 0, in nanoseconds.
  long double base_utc_ = 0;
  std::int64_t last_ = 0;
  /// The current packet, if it had to be copied, and those after it.
  Held shown_;
  std::deque<Held> ahead_;
};

}  // namespace takt::sensors
