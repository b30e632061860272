#pragma once
/// Recorded packets of any format, read through the decoder of the live stream.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sensors/packets/frame_builder.hpp"
#include "sensors/packets/packet_stream.hpp"
#include "sensors/source.hpp"

namespace takt::sensors {

struct PacketFileOptions {
  /// Frames come at this multiple of the rate at which they were recorded; 0: as fast as they are taken.
  double speed = 0;
  /// What the user calls the lanes, for warnings: names of files.
  std::vector<std::string> lanes;
  /// For messages.
  std::string recording = "the recording";
};

/// Throws OptionError.
void validate(const PacketFileOptions& options);

/// Gives the same frames, byte for byte, as the same packets received live without loss. Reads in `poll`;
/// drops nothing. A recording without a good packet is an error: `poll` throws WorkError with the causes of
/// refusal, as of a live stream.
class PacketFileSource : public Source {
 public:
  /// Opens the recording when the source starts; throws ConfigError when it cannot be read or is of another
  /// format.
  using Open = std::function<std::unique_ptr<PacketStream>()>;

  /// Throws OptionError.
  PacketFileSource(PacketFileOptions options, PacketFormat format, Open open);
  ~PacketFileSource() override;

  [[nodiscard]] const FrameType& type() const override;
  /// Opens the recording and reads its first packet. Throws what `open` throws, and ConfigError where the
  /// recording holds no packet.
  void check() const override;
  [[nodiscard]] bool begin_behind(const StreamPlace& place) override;
  /// Throws what `open` throws.
  void start() override;
  [[nodiscard]] SourceState poll(FrameView& frame) override;
  void release() override;
  [[nodiscard]] std::size_t least_pool() const override;
  void use_pool(const FramePool& pool) override;
  [[nodiscard]] std::optional<std::int64_t> next_frame_ns() const override;
  void stop() override;
  [[nodiscard]] SourceCounters counters() const override;
  [[nodiscard]] std::vector<std::string> description() const override;
  [[nodiscard]] std::vector<std::string> warnings() const override;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace takt::sensors
