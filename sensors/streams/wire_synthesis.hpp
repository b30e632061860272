#pragma once
/// Synthetic frames in takt's framing for a sender: whole messages, or their pieces over UDP.

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "sensors/packets/packet_stream.hpp"
#include "sensors/streams/fragments.hpp"
#include "sensors/streams/wire.hpp"
#include "sensors/synthetic/made_signal.hpp"

namespace takt::sensors {

struct WireSynthesisOptions {
  /// Its rate must be known. `time`, if present, is the first axis.
  FrameType type;
  /// Largest number of frame bytes per datagram; 0: packets are whole messages.
  std::size_t payload_bytes = 0;
  MadeSignal signal{.noise = 1};
  double tone_hz = 0;
  /// Unix second of frame 0.
  std::int64_t second = 0;
};

class WireSenderCodec final : public PacketCodec {
 public:
  explicit WireSenderCodec(const WireSynthesisOptions& options);

  [[nodiscard]] double packets_per_second() const override;
  [[nodiscard]] std::optional<std::int64_t> utc_of(std::span<const std::byte> packet) const override;
  [[nodiscard]] std::span<const std::string_view> causes() const override;
  /// Truncates a datagram, or changes a message's length or type.
  std::size_t damage(std::vector<std::byte>& packet, std::uint64_t choice) const override;
  /// Shifts by the nearest number of frames; only datagrams with the beginning of a frame contain its time.
  /// Returns false before frame 0.
  bool shift(std::span<std::byte> packet, std::int64_t packets) const override;

 private:
  [[nodiscard]] std::size_t damage_message(std::vector<std::byte>& message, std::size_t cause) const;
  [[nodiscard]] std::size_t damage_piece(std::vector<std::byte>& piece, std::size_t cause) const;

  double rate_hz_;
  std::int64_t first_utc_ns_;
  /// Pieces of each message; 0 if packets are whole messages.
  std::size_t pieces_ = 0;
};

/// Frames numbered from 0, without end.
class WireSynthesis final : public PacketStream {
 public:
  /// Throws OptionError.
  explicit WireSynthesis(WireSynthesisOptions options);

  [[nodiscard]] const PacketCodec& codec() const override { return codec_; }
  [[nodiscard]] std::optional<LanePacket> next() override;
  /// Returns the end message of the stream. Valid until the next call.
  [[nodiscard]] LanePacket end();

 private:
  void make_message();

  const WireSynthesisOptions options_;
  const WireSenderCodec codec_;
  const WireEncoder encoder_;
  const std::size_t rows_;
  const SampledSignal signal_;
  std::vector<float> numbers_;
  std::vector<std::byte> data_, message_, packet_;
  /// Frames begun, and the next piece of the last one.
  std::uint64_t frames_ = 0;
  std::size_t piece_begin_ = 0;
};

}  // namespace takt::sensors
