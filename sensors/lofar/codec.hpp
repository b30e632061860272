#pragma once
/// The codec of LOFAR packets for senders.

#include "sensors/lofar/format.hpp"
#include "sensors/packets/packet_stream.hpp"

namespace takt::sensors {

class LofarCodec final : public PacketCodec {
 public:
  explicit LofarCodec(std::int64_t clock_hz) : clock_hz_(clock_hz) {}

  [[nodiscard]] double packets_per_second() const override;
  [[nodiscard]] std::optional<std::int64_t> utc_of(std::span<const std::byte> packet) const override;
  /// Returns the names of all LofarVerdicts but the first.
  [[nodiscard]] std::span<const std::string_view> causes() const override;
  std::size_t damage(std::vector<std::byte>& packet, std::uint64_t choice) const override;
  bool shift(std::span<std::byte> packet, std::int64_t packets) const override;
  [[nodiscard]] std::size_t coalesced(std::span<const std::byte> datagram, std::size_t usual) const override;

 private:
  std::int64_t clock_hz_;
};

}  // namespace takt::sensors
