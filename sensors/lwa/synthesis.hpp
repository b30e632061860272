#pragma once
/// A synthetic LWA stream: noise of a known level and a tone of a known frequency.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sensors/lwa/codec.hpp"
#include "sensors/packets/packet_stream.hpp"
#include "sensors/synthetic/made_signal.hpp"

namespace takt::sensors {

struct LwaSynthesisOptions {
  LwaFormat format;
  /// Before quantisation. DRX's 4 bits suit noise of 2 best.
  MadeSignal signal{.noise = 2};
  /// Relative to the centre frequency, in each signal and polarisation.
  double tone_hz = 0;
  /// Unix second at which the stream begins.
  std::int64_t second = 0;
  /// Packets of each signal and polarisation; 0: without end.
  std::uint64_t packets = 0;
  /// Clocks by which the time tags of DRX are late.
  std::uint16_t time_offset = 0;
};

/// Throws OptionError.
void validate(const LwaSynthesisOptions& options);

/// In time order: the polarisations of the first signal, those of the second, ....
class LwaSynthesis final : public PacketStream {
 public:
  /// Throws OptionError.
  explicit LwaSynthesis(LwaSynthesisOptions options);

  [[nodiscard]] const PacketCodec& codec() const override { return codec_; }
  [[nodiscard]] std::optional<LanePacket> next() override;

 private:
  const LwaSynthesisOptions options_;
  const LwaCodec codec_;
  const SampledSignal signal_;
  std::vector<float> numbers_;
  std::vector<std::byte> packet_;
  /// Counts the packets of all signals together.
  std::uint64_t number_ = 0;
};

}  // namespace takt::sensors
