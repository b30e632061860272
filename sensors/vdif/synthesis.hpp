#pragma once
/// A synthetic VDIF stream: noise of a known level and a tone of a known frequency.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sensors/packets/packet_stream.hpp"
#include "sensors/synthetic/made_signal.hpp"
#include "sensors/vdif/codec.hpp"
#include "sensors/vdif/samples.hpp"

namespace takt::sensors {

struct VdifSynthesisOptions {
  VdifFormat format;
  /// Before quantisation. 2 bits suit noise of 2.2 best.
  MadeSignal signal{.noise = 2.2};
  /// In the first channel of each thread.
  double tone_hz = 0;
  /// Unix second at which the stream begins.
  std::int64_t second = 0;
  /// Packets of each thread; 0: without end.
  std::uint64_t packets = 0;
};

/// Throws OptionError.
void validate(const VdifSynthesisOptions& options);

/// Alternates between the threads.
class VdifSynthesis final : public PacketStream {
 public:
  /// Throws OptionError.
  explicit VdifSynthesis(VdifSynthesisOptions options);

  [[nodiscard]] const PacketCodec& codec() const override { return codec_; }
  [[nodiscard]] std::optional<LanePacket> next() override;

 private:
  const VdifSynthesisOptions options_;
  const VdifCodec codec_;
  const VdifSamples samples_;
  const SampledSignal signal_;
  std::vector<float> numbers_;
  std::vector<std::byte> packet_;
  /// Counts the packets of all threads together.
  std::uint64_t number_ = 0;
};

}  // namespace takt::sensors
