#pragma once
/// Synthetic SPEAD streams and the codec of SPEAD packets for senders.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "sensors/packets/packet_stream.hpp"
#include "sensors/spead/format.hpp"
#include "sensors/synthetic/made_signal.hpp"

namespace takt::sensors {

class SpeadCodec final : public PacketCodec {
 public:
  /// `first_utc_ns` is the time of the heap whose counter is 1.
  SpeadCodec(const SpeadFormat& format, std::int64_t first_utc_ns)
      : format_(format), first_utc_ns_(first_utc_ns) {}

  [[nodiscard]] double packets_per_second() const override;
  [[nodiscard]] std::optional<std::int64_t> utc_of(std::span<const std::byte> packet) const override;
  [[nodiscard]] std::span<const std::string_view> causes() const override;
  std::size_t damage(std::vector<std::byte>& packet, std::uint64_t choice) const override;
  bool shift(std::span<std::byte> packet, std::int64_t packets) const override;
  [[nodiscard]] std::size_t coalesced(std::span<const std::byte> datagram, std::size_t usual) const override;

 private:
  SpeadFormat format_;
  std::int64_t first_utc_ns_;
};

struct SpeadSynthesisOptions {
  /// With numbers for `item` and `timestamp`, or neither.
  SpeadFormat format;
  /// The signal in the elements of all heaps, one after the other.
  MadeSignal signal{.noise = 10};
  double tone_hz = 0;
  /// Unix second at which the stream begins.
  std::int64_t second = 0;
  /// Whether a heap of descriptors, with counter 0, precedes the others: of the samples (`samples`) and their
  /// time (`timestamp`), under the format's names if it has any.
  bool has_descriptors = false;
  /// Number of heaps; 0: without end. The end mark of the stream follows the last one.
  std::uint64_t heaps = 0;
};

/// Throws OptionError.
void validate(const SpeadSynthesisOptions& options);

/// Counters from 1 on; pointers to samples and time are in a heap's first packet, as most senders do.
class SpeadSynthesis final : public PacketStream {
 public:
  /// Throws OptionError.
  explicit SpeadSynthesis(SpeadSynthesisOptions options);

  [[nodiscard]] const PacketCodec& codec() const override { return codec_; }
  [[nodiscard]] std::optional<LanePacket> next() override;

 private:
  void fill_heap();
  void describe();
  [[nodiscard]] LanePacket next_of_description();

  const SpeadSynthesisOptions options_;
  const SpeadCodec codec_;
  const SampledSignal signal_;
  std::vector<float> numbers_;
  std::vector<std::byte> heap_, packet_;
  /// The unsent heap of descriptors, from `place_` on, and the descriptors' offsets.
  std::vector<std::byte> description_;
  std::vector<std::size_t> descriptors_;
  std::uint64_t heap_number_ = 0;
  std::size_t place_ = 0;
  bool has_ended_ = false;
};

}  // namespace takt::sensors
