#pragma once
/// Mark 5B files as VDIF packets of one thread: both count frames per second, so that one builder serves
/// both.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "sensors/files/framed_file.hpp"
#include "sensors/packets/packet_stream.hpp"
#include "sensors/vdif/codec.hpp"
#include "sensors/vdif/format.hpp"

namespace takt::sensors {

/// The properties of a Mark 5B file that it does not contain.
struct Mark5bFormat {
  /// Channels of the recording, a power of two up to 16; 1 or 2 bits.
  std::size_t channels = 1;
  int bits = 2;
  /// Samples per second of each channel.
  double sample_hz = 0;
  /// A Unix second less than 500 days from the recording.
  std::int64_t near_unix_second = 0;
};

/// Returns the format of the resulting VDIF packets: real samples of thread 0. Throws OptionError for values
/// that Mark 5B does not support.
[[nodiscard]] VdifFormat vdif_format(const Mark5bFormat& format);

/// Returns the carried fields of the file's first frame. Throws ConfigError if the file is not readable, or
/// does not begin with a Mark 5B frame.
[[nodiscard]] std::vector<std::string> read_mark5b_description(const std::filesystem::path& file);

class Mark5bRecording final : public PacketStream {
 public:
  /// Throws as read_mark5b_description.
  Mark5bRecording(const std::filesystem::path& file, const Mark5bFormat& format);

  [[nodiscard]] const PacketCodec& codec() const override { return codec_; }
  /// Invalid frames become packets that a VDIF builder refuses as `header`, those of the test-vector
  /// generator as `invalid`. Throws WorkError if reading fails.
  [[nodiscard]] std::optional<LanePacket> next() override;
  [[nodiscard]] const std::filesystem::path& file() const override { return file_.path(); }
  /// Counts the bytes of a frame truncated by the end of the file.
  [[nodiscard]] std::vector<Counter> counters() const override;
  [[nodiscard]] std::vector<std::string> warnings() const override;

 private:
  void translate();

  const Mark5bFormat format_;
  const VdifFormat vdif_;
  const VdifCodec codec_;
  FramedFile file_;
  std::vector<std::byte> piece_, packet_;
  Tally left_over_;
  /// Frames whose fraction of a second contradicts their number.
  Tally contradicting_;
};

}  // namespace takt::sensors
