#pragma once
/// Packets one after the other, from a recording or made up.

#include <cstddef>
#include <optional>
#include <span>

namespace takt::sensors {

/// A packet on its way, with the port or file it belongs to.
struct LanePacket {
  std::size_t lane = 0;
  std::span<const std::byte> bytes;
};

class PacketStream {
 public:
  virtual ~PacketStream() = default;

  /// The next packet, or nothing at the end. Bytes are valid until the next call.
  [[nodiscard]] virtual std::optional<LanePacket> next() = 0;
};

}  // namespace takt::sensors
