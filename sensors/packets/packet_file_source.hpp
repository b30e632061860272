#pragma once
/// A source that reads recorded packets of any format through the decoder of the live stream.

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
  /// Replay speed relative to the recorded rate; 0: as fast as the pipeline polls.
  double speed = 0;
  /// Names of the lanes in warnings: file names.
  std::vector<std::string> lanes;
  /// Name of all files in messages (name_of_files).
  std::string recording = "the recording";
};

/// Throws OptionError.
void validate(const PacketFileOptions& options);

/// Produces the same frames, byte for byte, as a lossless live reception of the same packets. Reads in `poll`
/// and drops nothing. If a recording holds no valid packet, `poll` throws WorkError with the causes of
/// refusal, as a live stream does.
class PacketFileSource : public Source {
 public:
  /// Opens the recording when the source starts; throws ConfigError if it cannot be read or has another
  /// format.
  using Open = std::function<std::unique_ptr<PacketStream>()>;

  /// Throws OptionError.
  PacketFileSource(PacketFileOptions options, PacketFormat format, Open open);
  ~PacketFileSource() override;

  [[nodiscard]] const FrameType& type() const override;
  /// Opens the recording and reads its first packet. Throws the errors of `open`, and ConfigError if the
  /// recording holds no packet.
  void check() const override;
  [[nodiscard]] bool resume_after(const StreamPlace& place) override;
  /// Throws the errors of `open`.
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
