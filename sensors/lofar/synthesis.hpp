#pragma once
/// A synthetic LOFAR station: noise of a known level and a tone of a known frequency, in valid
/// packets.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sensors/lofar/codec.hpp"
#include "sensors/lofar/format.hpp"
#include "sensors/packets/packet_stream.hpp"
#include "sensors/synthetic/made_signal.hpp"

namespace takt::sensors {

/// A tone on the sky. It appears in both polarisations of the beamlet of its frequency, as amplitude * exp(2
/// pi i (frequency - centre of the beamlet) t).
struct Tone {
  double frequency_hz = 0;
  /// In counts.
  double amplitude = 10;
  /// Drift of the frequency; it stays in its beamlet.
  double drift_hz_per_second = 0;
};

struct LofarSynthesisOptions {
  LofarFormat format;
  /// Standard deviation of each of the real and imaginary parts, in counts.
  double noise = 10;
  std::optional<Tone> tone;
  /// Noise and pulses of the sky, and delays; its own noise, tone and seed are unused. A lane's delay rotates
  /// a beamlet's phase by its frequency, and shifts its noise by whole samples.
  MadeSignal sky;
  std::uint64_t seed = 1;
  /// Unix second at which the stream begins.
  std::uint32_t second = 0;
  /// Packets of each lane; 0: without end.
  std::uint64_t packets = 0;
};

/// Throws ConfigError.
void validate(const LofarSynthesisOptions& options);

/// The position of a tone.
struct TonePlace {
  std::size_t lane = 0;
  std::size_t beamlet = 0;
  double centre_hz = 0;
};

/// Throws ConfigError if no beamlet holds the frequency.
[[nodiscard]] TonePlace find_tone(const LofarFormat& format, double frequency_hz);

/// Fast enough for a full station: a packet's noise is a section of a pool generated once, at a random offset
/// for each packet. Only beamlets with a tone or a sky signal are computed.
class LofarSynthesis final : public PacketStream {
 public:
  /// Throws ConfigError.
  explicit LofarSynthesis(LofarSynthesisOptions options);

  [[nodiscard]] const PacketCodec& codec() const override { return codec_; }
  [[nodiscard]] std::optional<LanePacket> next() override;

 private:
  void fill_pool();
  void add_sky(std::size_t pool_offset, std::uint64_t packet, std::size_t lane);
  void add_tone(std::uint64_t packet, double delay_s, std::span<float> beamlet) const;
  void add_sky_noise(std::uint64_t packet, double delay_s, std::size_t place, std::span<float> beamlet) const;

  const LofarSynthesisOptions options_;
  const LofarCodec codec_;
  std::optional<TonePlace> place_;
  const SkyNoise sky_;
  /// Centres of all beamlets, if needed.
  std::vector<double> centres_;
  /// The noise before and after rounding to the samples' bits.
  std::vector<float> pool_;
  std::vector<std::byte> rounded_pool_;
  std::vector<std::byte> packet_;
  /// Counts the packets of all lanes together.
  std::uint64_t number_ = 0;
};

}  // namespace takt::sensors
