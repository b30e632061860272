#pragma once
/// VDIF files: frames of all threads one after the other.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "sensors/files/framed_file.hpp"
#include "sensors/frames/counter.hpp"
#include "sensors/packets/packet_stream.hpp"
#include "sensors/vdif/codec.hpp"
#include "sensors/vdif/format.hpp"

namespace takt::sensors {

/// What the first frames of a file (1024 at most) say: threads in ascending order, channels, bits, payload,
/// station, and the sample rate where they tell it. One packet a frame. Frames that are marked as invalid say
/// nothing unless all are. Threads with less than half of the frames that others have are left out, with a
/// note. Throws ConfigError when the file cannot be read or is no VDIF; when most of its frames differ from
/// the first in anything but thread and time; when most threads come and go, as they do where headers are
/// damaged.
[[nodiscard]] VdifFormat read_vdif_format(const std::filesystem::path& file);

class VdifRecording final : public PacketStream {
 public:
  /// Frames as they lie in the file; lanes are the threads of the format. Throws ConfigError when the file
  /// cannot be read.
  VdifRecording(const std::filesystem::path& file, const VdifFormat& format);

  [[nodiscard]] const PacketCodec& codec() const override { return codec_; }
  /// As FramedFile::read; pieces between frames, and frames of other threads, belong to lane 0. Throws
  /// WorkError when reading fails.
  [[nodiscard]] std::optional<LanePacket> next() override;
  /// Bytes of a frame that the end of the file has cut off.
  [[nodiscard]] std::vector<Counter> counters() const override;
  [[nodiscard]] std::vector<std::string> warnings() const override;

 private:
  const VdifFormat format_;
  const VdifCodec codec_;
  FramedFile file_;
  std::vector<std::byte> piece_, packet_;
  std::uint64_t number_ = 0;
  Tally left_over_;
};

}  // namespace takt::sensors
