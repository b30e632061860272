#pragma once
/// VDIF files: the frames of all threads one after the other.

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

/// Returns the format from the first frames of a file (1024 at most): threads in ascending order,
/// channels, bits, payload, station, and the sample rate if the headers contain it; one packet per frame.
/// Invalid frames are ignored unless all are invalid. Threads with less than half of the usual number of
/// frames are left out, with a note. Throws ConfigError if the file is not readable or not VDIF. Also
/// throws if most of its frames differ from the first in more than thread and time, or if most threads
/// come and go.
[[nodiscard]] VdifFormat read_vdif_format(const std::filesystem::path& file);

class VdifRecording final : public PacketStream {
 public:
  /// Frames in file order; lanes are the threads of the format. Throws ConfigError if the file is not
  /// readable.
  VdifRecording(const std::filesystem::path& file, const VdifFormat& format);

  [[nodiscard]] const PacketCodec& codec() const override { return codec_; }
  /// As FramedFile::read; bytes between frames, and frames of other threads, belong to lane 0. Throws
  /// WorkError if reading fails.
  [[nodiscard]] std::optional<LanePacket> next() override;
  [[nodiscard]] const std::filesystem::path& file() const override { return file_.path(); }
  /// Counts the bytes of a frame truncated by the end of the file.
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
