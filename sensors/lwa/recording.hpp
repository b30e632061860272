#pragma once
/// Files of LWA packets, one after the other, as the stations' data recorders write them.

#include <cstddef>
#include <filesystem>
#include <optional>
#include <vector>

#include "sensors/files/framed_file.hpp"
#include "sensors/lwa/codec.hpp"
#include "sensors/packets/packet_stream.hpp"

namespace takt::sensors {

/// What the first packets of a file (4096 at most) say: mode, signals in ascending order, sample rate and
/// centre frequencies. Throws ConfigError when the file cannot be read or holds no such packets.
[[nodiscard]] LwaFormat read_lwa_format(const std::filesystem::path& file);

class LwaRecording final : public PacketStream {
 public:
  /// Throws ConfigError when the file cannot be read.
  LwaRecording(const std::filesystem::path& file, const LwaFormat& format);

  [[nodiscard]] const PacketCodec& codec() const override { return codec_; }
  /// As FramedFile::read. Throws WorkError when reading fails.
  [[nodiscard]] std::optional<LanePacket> next() override;

 private:
  const LwaCodec codec_;
  FramedFile file_;
  std::vector<std::byte> piece_;
};

}  // namespace takt::sensors
