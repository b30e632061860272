#pragma once
/// Files of LWA packets, one after the other, as written by the stations' data recorders.

#include <cstddef>
#include <filesystem>
#include <optional>
#include <vector>

#include "sensors/files/framed_file.hpp"
#include "sensors/lwa/codec.hpp"
#include "sensors/packets/packet_stream.hpp"

namespace takt::sensors {

/// Returns the format from a file's first packets (at most 4096): mode, signals in ascending order, rate and
/// centre frequencies. Throws ConfigError if the file is not readable or holds no such packets.
[[nodiscard]] LwaFormat read_lwa_format(const std::filesystem::path& file);

class LwaRecording final : public PacketStream {
 public:
  /// Throws ConfigError if the file is not readable.
  LwaRecording(const std::filesystem::path& file, const LwaFormat& format);

  [[nodiscard]] const PacketCodec& codec() const override { return codec_; }
  /// As FramedFile::read. Throws WorkError if reading fails.
  [[nodiscard]] std::optional<LanePacket> next() override;
  [[nodiscard]] const std::filesystem::path& file() const override { return file_.path(); }
  [[nodiscard]] std::vector<std::string> warnings() const override;

 private:
  const LwaCodec codec_;
  FramedFile file_;
  std::vector<std::byte> piece_;
};

}  // namespace takt::sensors
