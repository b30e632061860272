#pragma once
/// The codec of VDIF packets for senders.

#include "sensors/packets/packet_stream.hpp"
#include "sensors/vdif/format.hpp"

namespace takt::sensors {

class VdifCodec final : public PacketCodec {
 public:
  /// The format is valid.
  explicit VdifCodec(VdifFormat format) : format_(std::move(format)) {}

  [[nodiscard]] double packets_per_second() const override;
  [[nodiscard]] std::optional<std::int64_t> utc_of(std::span<const std::byte> packet) const override;
  /// Returns the names of all VdifVerdicts but the first.
  [[nodiscard]] std::span<const std::string_view> causes() const override;
  std::size_t damage(std::vector<std::byte>& packet, std::uint64_t choice) const override;
  bool shift(std::span<std::byte> packet, std::int64_t packets) const override;
  [[nodiscard]] std::size_t coalesced(std::span<const std::byte> datagram, std::size_t usual) const override;

 private:
  VdifFormat format_;
};

}  // namespace takt::sensors
