#pragma once
/// The codec of LWA packets for senders.

#include "sensors/lwa/format.hpp"
#include "sensors/packets/packet_stream.hpp"

namespace takt::sensors {

class LwaCodec final : public PacketCodec {
 public:
  /// The format is valid.
  explicit LwaCodec(LwaFormat format) : format_(std::move(format)) {}

  /// Counts the packets of all signals: they are one lane.
  [[nodiscard]] double packets_per_second() const override;
  [[nodiscard]] std::optional<std::int64_t> utc_of(std::span<const std::byte> packet) const override;
  /// Returns the names of LwaVerdicts except the first and the time; for TBN also except the rate.
  [[nodiscard]] std::span<const std::string_view> causes() const override;
  std::size_t damage(std::vector<std::byte>& packet, std::uint64_t choice) const override;
  bool shift(std::span<std::byte> packet, std::int64_t packets) const override;
  [[nodiscard]] std::size_t coalesced(std::span<const std::byte> datagram, std::size_t usual) const override;

 private:
  LwaFormat format_;
};

}  // namespace takt::sensors
