#pragma once
/// The frames' elements as they lie in memory, one frame after the other.

#include "sensors/output_series.hpp"
#include "sensors/sink.hpp"

namespace takt::sensors {

struct RawOptions {
  OutputOptions output;
  /// Whether each frame is preceded by its FrameHeader (its first written_header_bytes as they lie
  /// in memory, little-endian).
  bool headers = false;
  /// Whether each frame is followed by its flags, one byte for each part that may be missing
  /// (FrameType::parts).
  bool flags = false;
};

class RawSink final : public Sink {
 public:
  RawSink(RawOptions options, const FrameType& type);

  void open() override;
  void write(const FrameView& frame) override;
  void close() override;
  void note(const std::string& line) override { series_.note(line); }
  void begin_file() override;
  [[nodiscard]] std::string location() const override;
  [[nodiscard]] std::vector<Counter> counters() const override;
  [[nodiscard]] std::vector<std::string> warnings() const override;

 private:
  bool has_headers_;
  /// Bytes of a frame that are written.
  std::size_t frame_bytes_;
  OutputSeries series_;
};

}  // namespace takt::sensors
