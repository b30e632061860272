#pragma once
/// Mark 5B files, as VDIF packets of one thread: both count frames in seconds, so that one builder serves
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

/// What a Mark 5B file does not tell of itself.
struct Mark5bFormat {
  /// Of the recording: a power of two up to 16; 1 or 2 bits.
  std::size_t channels = 1;
  int bits = 2;
  /// Samples a second of each channel.
  double sample_hz = 0;
  /// Unix second less than 500 days away from the recording.
  std::int64_t near_unix_second = 0;
};

/// The packets into which VdifRecording's sibling turns the frames: real samples of thread 0. Throws
/// OptionError for what Mark 5B cannot be.
[[nodiscard]] VdifFormat vdif_format(const Mark5bFormat& format);

/// The fields of the file's first frame that are carried. Throws ConfigError where the file cannot be read,
/// or begins with no Mark 5B frame.
[[nodiscard]] std::vector<std::string> read_mark5b_description(const std::filesystem::path& file);

class Mark5bRecording final : public PacketStream {
 public:
  /// Throws as read_mark5b_description.
  Mark5bRecording(const std::filesystem::path& file, const Mark5bFormat& format);

  [[nodiscard]] const PacketCodec& codec() const override { return codec_; }
  /// Frames that are no Mark 5B become packets that a VDIF builder refuses as `header`, those of the
  /// test-vector generator as `invalid`. Throws WorkError when reading fails.
  [[nodiscard]] std::optional<LanePacket> next() override;
  /// Bytes of a frame that the end of the file has cut off.
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
  /// Frames whose fraction of a second is not that of their number.
  Tally contradicting_;
};

}  // namespace takt::sensors
