#pragma once
/// Synthetic messages of GNU Radio's ZMQ sinks with tags, for senders.

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "sensors/gnuradio/codec.hpp"
#include "sensors/packets/packet_stream.hpp"

namespace takt::sensors {

class GnuradioMessageCodec final : public PacketCodec {
 public:
  GnuradioMessageCodec(double messages_per_second, std::uint64_t items, std::int64_t first_utc_ns)
      : messages_per_second_(messages_per_second), items_(items), first_utc_ns_(first_utc_ns) {}

  [[nodiscard]] double packets_per_second() const override { return messages_per_second_; }
  [[nodiscard]] std::optional<std::int64_t> utc_of(std::span<const std::byte> packet) const override;
  [[nodiscard]] std::span<const std::string_view> causes() const override;
  std::size_t damage(std::vector<std::byte>& packet, std::uint64_t choice) const override;
  /// Returns false before item 0.
  bool shift(std::span<std::byte> packet, std::int64_t packets) const override;

 private:
  double messages_per_second_;
  /// Items per message.
  std::uint64_t items_;
  std::int64_t first_utc_ns_;
};

/// The items of GnuradioSynthesis, one message per datagram, numbered from 0: without numbers, faults would
/// not be detectable.
class GnuradioMessages final : public PacketStream {
 public:
  /// Throws OptionError.
  explicit GnuradioMessages(const GnuradioSynthesisOptions& options);

  [[nodiscard]] const PacketCodec& codec() const override { return codec_; }
  [[nodiscard]] std::optional<LanePacket> next() override;

 private:
  GnuradioSynthesis datagrams_;
  const std::uint64_t items_;
  const GnuradioMessageCodec codec_;
  std::uint64_t messages_ = 0;
  std::vector<std::byte> message_;
};

}  // namespace takt::sensors
