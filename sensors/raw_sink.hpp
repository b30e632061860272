#pragma once
/// The frames' elements as they lie in memory, one frame after the other.

#include "sensors/output_series.hpp"
#include "sensors/sink.hpp"

namespace takt::sensors {

struct RawOptions {
  OutputOptions output;
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
  [[nodiscard]] std::vector<Counter> counters() const override;
  [[nodiscard]] std::vector<std::string> warnings() const override;

 private:
  bool has_headers_;
  OutputSeries series_;
};

}  // namespace takt::sensors
