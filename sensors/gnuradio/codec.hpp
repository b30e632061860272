#pragma once
/// The codec of GNU Radio's UDP datagrams for senders, and a synthetic stream of them.

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "sensors/gnuradio/builder.hpp"
#include "sensors/packets/packet_stream.hpp"
#include "sensors/synthetic/made_signal.hpp"

namespace takt::sensors {

class GnuradioCodec final : public PacketCodec {
 public:
  /// The format is valid. `first_utc_ns` is the time of datagram 1.
  explicit GnuradioCodec(GnuradioUdpFormat format, std::int64_t first_utc_ns = 0)
      : format_(std::move(format)), first_utc_ns_(first_utc_ns) {}

  [[nodiscard]] double packets_per_second() const override;
  /// Empty if datagrams have no numbers.
  [[nodiscard]] std::optional<std::int64_t> utc_of(std::span<const std::byte> packet) const override;
  [[nodiscard]] std::span<const std::string_view> causes() const override;
  std::size_t damage(std::vector<std::byte>& packet, std::uint64_t choice) const override;
  bool shift(std::span<std::byte> packet, std::int64_t packets) const override;
  /// Detects packets by close successive numbers; without numbers by whole payloads, at least
  /// two.
  [[nodiscard]] std::size_t coalesced(std::span<const std::byte> datagram, std::size_t usual) const override;

 private:
  GnuradioUdpFormat format_;
  std::int64_t first_utc_ns_;
};

struct GnuradioSynthesisOptions {
  /// With numbers, without which faults would not be detectable.
  GnuradioUdpFormat format;
  MadeSignal signal{.noise = 1};
  double tone_hz = 0;
  /// Unix second of datagram 1.
  std::int64_t second = 0;
};

/// Numbered from 1, without end. An item is an element.
class GnuradioSynthesis final : public PacketStream {
 public:
  /// Throws OptionError.
  explicit GnuradioSynthesis(GnuradioSynthesisOptions options);

  [[nodiscard]] const PacketCodec& codec() const override { return codec_; }
  [[nodiscard]] std::optional<LanePacket> next() override;

 private:
  const GnuradioSynthesisOptions options_;
  const GnuradioCodec codec_;
  const SampledSignal signal_;
  std::vector<float> numbers_;
  std::vector<std::byte> packet_;
  std::uint64_t number_ = 0;
};

}  // namespace takt::sensors
