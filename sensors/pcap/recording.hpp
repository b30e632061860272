#pragma once
/// A captured stream of packets of any format.

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "sensors/packet_stream.hpp"
#include "sensors/pcap/capture_file.hpp"

namespace takt::sensors {

struct PcapOptions {
  std::filesystem::path file;
  /// To which the stream was sent: one a lane.
  std::vector<std::uint16_t> ports;
};

/// Throws OptionError.
void validate(const PcapOptions& options);

/// Datagrams in the order of the capture, as a receiver on these ports would have got them; those of other
/// ports are passed over.
class PcapRecording final : public PacketStream {
 public:
  /// `codec` is the format's. Throws OptionError, and ConfigError as CaptureFile.
  PcapRecording(const PcapOptions& options, std::unique_ptr<const PacketCodec> codec);

  [[nodiscard]] const PacketCodec& codec() const override { return *codec_; }
  /// Throws WorkError where the capture is damaged; at its end when nothing was sent to these ports, with the
  /// ports that something was sent to.
  [[nodiscard]] std::optional<LanePacket> next() override;

 private:
  const PcapOptions options_;
  const std::unique_ptr<const PacketCodec> codec_;
  CaptureFile file_;
  bool any_ = false;
  std::map<std::uint16_t, std::uint64_t> others_;
};

}  // namespace takt::sensors
