#pragma once
/// Packets one after the other, from a recording or made up.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sensors/frames/counter.hpp"

namespace takt::sensors {

/// A packet on its way, with the port or file it belongs to.
struct LanePacket {
  std::size_t lane = 0;
  std::span<const std::byte> bytes;
  /// When it was captured, where that is known: nanoseconds since 1970.
  std::optional<std::int64_t> utc_ns = {};
};

/// What a sender must know of the packets that pass through it, whatever their format.
class PacketCodec {
 public:
  virtual ~PacketCodec() = default;

  /// Of each lane.
  [[nodiscard]] virtual double packets_a_second() const = 0;
  /// When the packet's first sample was taken, by its header alone: nanoseconds since 1970. Nothing where it
  /// has no header.
  [[nodiscard]] virtual std::optional<std::int64_t> utc_of(std::span<const std::byte> packet) const = 0;
  /// Why a receiver refuses packets, as its counters `refused_CAUSE` name it.
  [[nodiscard]] virtual std::span<const std::string_view> causes() const = 0;
  /// Damages a packet so that a receiver refuses it; which of the causes it will have. Every choice leads to
  /// one of them.
  virtual std::size_t damage(std::vector<std::byte>& packet, std::uint64_t choice) const = 0;
  /// Makes a packet tell another time, later by so many packets of its lane (earlier where it is negative;
  /// where only groups of packets have a time, by the nearest number of groups). False where packets tell no
  /// time, or not this one.
  virtual bool shift(std::span<std::byte> packet, std::int64_t packets) const {
    (void)packet, (void)packets;
    return false;
  }
  /// A datagram that was captured on the host that sends or receives may be several packets, one behind the
  /// other, of one length; the last one may be shorter (segmentation offload, GRO). Their length, where the
  /// bytes are such packets; 0 where the datagram is one packet, or none. `usual`: the length of the lane's
  /// packet before; 0: there was none. O(packets).
  [[nodiscard]] virtual std::size_t coalesced(std::span<const std::byte> datagram, std::size_t usual) const {
    (void)datagram, (void)usual;
    return 0;
  }
};

/// PacketCodec::coalesced of a format whose headers tell how long a packet is. `length_of`: the length that
/// the packet's header tells, 0 where it is no header. A first packet with a damaged header is as long as
/// usual.
template <class LengthOf>
[[nodiscard]] std::size_t coalesced_by_headers(std::span<const std::byte> datagram, std::size_t usual,
                                               LengthOf length_of) {
  const std::size_t told = length_of(datagram), length = told > 0 ? told : usual;
  if (length == 0 || length >= datagram.size()) return 0;
  const std::size_t rest = datagram.size() % length;
  return rest == 0 || length_of(datagram.last(rest)) > 0 ? length : 0;
}

/// Where packets go that are sent.
class PacketOutlet {
 public:
  virtual ~PacketOutlet() = default;

  /// Copies the packet; it may leave later. Throws WorkError.
  virtual void put(const LanePacket& packet) = 0;
  /// Sends what was put.
  virtual void flush() = 0;
  /// What left so far: datagrams, or packets of a connection, and their bytes.
  [[nodiscard]] virtual std::uint64_t datagrams() const = 0;
  [[nodiscard]] virtual std::uint64_t bytes() const = 0;
};

class PacketStream {
 public:
  virtual ~PacketStream() = default;

  /// Lives as long as the stream.
  [[nodiscard]] virtual const PacketCodec& codec() const = 0;

  /// The next packet, or nothing at the end. Bytes are valid until the next call.
  [[nodiscard]] virtual std::optional<LanePacket> next() = 0;

  /// What became of recorded bytes that are not handed over; causes of refusal are called `refused_CAUSE`.
  /// Any thread.
  [[nodiscard]] virtual std::vector<Counter> counters() const { return {}; }
  /// What the user should know about the recording, one sentence each. Any thread.
  [[nodiscard]] virtual std::vector<std::string> warnings() const { return {}; }
};

}  // namespace takt::sensors
