#pragma once
/// The frames' elements as they lie in memory, one frame after the other.

#include <filesystem>

#include "sensors/output_file.hpp"
#include "sensors/sink.hpp"

namespace takt::sensors {

struct RawOptions {
  std::filesystem::path path;
  /// Whether each frame is preceded by its FrameHeader (as in memory, sizeof(FrameHeader) bytes,
  /// little-endian).
  bool headers = false;
};

class RawSink final : public Sink {
 public:
  explicit RawSink(RawOptions options);

  void open() override;
  void write(const FrameView& frame) override;
  void close() override;
  [[nodiscard]] std::string location() const override;

 private:
  RawOptions options_;
  OutputFile file_;
};

}  // namespace takt::sensors
