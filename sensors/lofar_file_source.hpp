#pragma once
/// Recorded packets of a LOFAR station, one file a lane, read through the decoder of the live stream.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "sensors/lofar_assembler.hpp"
#include "sensors/lofar_format.hpp"
#include "sensors/source.hpp"

namespace takt::sensors {

struct LofarFileOptions {
  LofarFormat format;
  Assembly assembly;
  /// Raw packets one after the other, header included; one file a lane.
  std::vector<std::filesystem::path> files;
  /// Frames come at this multiple of the rate at which they were recorded; 0: as fast as they are taken.
  double speed = 0;
  /// Number of the source in the pipeline, for the frames' headers.
  std::uint32_t source = 0;
};

/// Throws ConfigError.
void validate(const LofarFileOptions& options);

/// Gives the same frames, byte for byte, as the same packets received live without loss. Reads in `poll`;
/// drops nothing.
class LofarFileSource final : public Source {
 public:
  /// Throws ConfigError.
  explicit LofarFileSource(LofarFileOptions options);
  ~LofarFileSource() override;

  [[nodiscard]] const FrameType& type() const override;
  /// Throws ConfigError when a file is missing or its first packet is not of the format.
  void start() override;
  [[nodiscard]] SourceState poll(FrameView& frame) override;
  void release() override;
  [[nodiscard]] std::size_t least_pool() const override;
  void use_pool(const FramePool& pool) override;
  [[nodiscard]] std::optional<std::int64_t> next_frame_ns() const override;
  void stop() override;
  [[nodiscard]] SourceCounters counters() const override;
  [[nodiscard]] std::vector<std::string> warnings() const override;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace takt::sensors
