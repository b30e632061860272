#pragma once
/// Streams of packets, recorded or synthetic.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sensors/frames/counter.hpp"

namespace takt::sensors {

/// A packet in transit with its port or file.
struct LanePacket {
  std::size_t lane = 0;
  std::span<const std::byte> bytes;
  /// Capture time in nanoseconds since 1970, if known.
  std::optional<std::int64_t> utc_ns = {};
};

/// The format-specific operations of a sender on its packets.
class PacketCodec {
 public:
  virtual ~PacketCodec() = default;

  /// Returns the packets per second of each lane.
  [[nodiscard]] virtual double packets_per_second() const = 0;
  /// Returns the time of the packet's first sample from its header alone, in nanoseconds since 1970. Empty if
  /// the packet has no header.
  [[nodiscard]] virtual std::optional<std::int64_t> utc_of(std::span<const std::byte> packet) const = 0;
  /// Returns the causes of refusal, as the receiver's counters `refused_CAUSE` name them.
  [[nodiscard]] virtual std::span<const std::string_view> causes() const = 0;
  /// Damages a packet so that a receiver refuses it. Returns the index of the cause; every choice leads to
  /// one.
  virtual std::size_t damage(std::vector<std::byte>& packet, std::uint64_t choice) const = 0;
  /// Shifts the time of a packet forwards by this number of packets of its lane (backwards if negative). If
  /// only groups of packets have a time, shifts by the nearest number of groups. Returns false if packets
  /// have no time, or this shift is impossible.
  virtual bool shift(std::span<std::byte> packet, std::int64_t packets) const {
    (void)packet, (void)packets;
    return false;
  }
  /// Returns the length of the packets in a coalesced datagram (segmentation offload, GRO), or 0 for a single
  /// packet or none. A datagram captured on the sending or receiving host may consist of several packets of
  /// one length, the last possibly shorter. `usual`: the length of the lane's previous packet, 0 if there is
  /// none. O(packets).
  [[nodiscard]] virtual std::size_t coalesced(std::span<const std::byte> datagram, std::size_t usual) const {
    (void)datagram, (void)usual;
    return 0;
  }
};

/// Implements PacketCodec::coalesced for formats whose headers contain the packet length. `length_of` returns
/// this length, or 0 if the bytes are no header. A first packet with a damaged header is assumed to have the
/// usual length.
template <class LengthOf>
[[nodiscard]] std::size_t coalesced_by_headers(std::span<const std::byte> datagram, std::size_t usual,
                                               LengthOf length_of) {
  const std::size_t told = length_of(datagram), length = told > 0 ? told : usual;
  if (length == 0 || length >= datagram.size()) return 0;
  const std::size_t rest = datagram.size() % length;
  return rest == 0 || length_of(datagram.last(rest)) > 0 ? length : 0;
}

/// The destination of sent packets.
class PacketOutlet {
 public:
  virtual ~PacketOutlet() = default;

  /// Copies the packet; it may be sent later. Throws WorkError.
  virtual void put(const LanePacket& packet) = 0;
  /// Sends all pending packets.
  virtual void flush() = 0;
  /// Return the datagrams, or packets of a connection, sent so far, and their bytes.
  [[nodiscard]] virtual std::uint64_t datagrams() const = 0;
  [[nodiscard]] virtual std::uint64_t bytes() const = 0;
};

class PacketStream {
 public:
  virtual ~PacketStream() = default;

  /// Returns a codec that is valid for the lifetime of the stream.
  [[nodiscard]] virtual const PacketCodec& codec() const = 0;

  /// Returns the next packet, or nothing at the end. The bytes are valid until the next call.
  [[nodiscard]] virtual std::optional<LanePacket> next() = 0;

  /// Returns the file of the last packet; empty for packets of no file. Valid until the next call of `next`.
  [[nodiscard]] virtual const std::filesystem::path& file() const {
    static const std::filesystem::path none;
    return none;
  }
  /// Counts the recorded bytes that are not handed over; causes of refusal are named `refused_CAUSE`.
  /// Thread-safe.
  [[nodiscard]] virtual std::vector<Counter> counters() const { return {}; }
  /// Returns warnings about the recording, one sentence each. Thread-safe.
  [[nodiscard]] virtual std::vector<std::string> warnings() const { return {}; }
};

}  // namespace takt::sensors
