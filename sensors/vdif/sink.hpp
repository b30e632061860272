#pragma once
/// VDIF files.

#include <cstdint>
#include <memory>

#include "sensors/output_series.hpp"
#include "sensors/sink.hpp"

namespace takt::sensors {

struct VdifSinkOptions {
  OutputOptions output;
  /// Of each sample, or real or imaginary part: 1 to 32.
  int bits = 2;
  /// Values are multiplied by this before they are quantised.
  double scale = 1;
  /// Bytes of samples in a VDIF frame; 0: the largest multiple of 8 up to 8000 that fits the stream's rate.
  std::size_t payload_bytes = 0;
  std::uint16_t station = 0;
};

/// Takes `float32` or `complex_float32` `[beamlet][time][polarisation]` of known rate. Each beamlet and
/// polarisation is a thread of one channel: beamlet * polarisations + polarisation. Samples are the nearest
/// codes (vdif/samples.hpp): what a VDIF source decoded is written bit by bit as it was, at a scale of 1.
///
/// A VDIF frame of which values are missing (NaN) is marked as invalid; whole frames that are missing leave a
/// gap in the time that headers tell. Time is rounded to whole VDIF frames of the UTC second.
class VdifSink final : public Sink {
 public:
  /// Throws ConfigError when frames of this type cannot be in such a file, with the reason.
  VdifSink(VdifSinkOptions options, const FrameType& type);
  ~VdifSink() override;

  void open() override;
  void write(const FrameView& frame) override;
  void close() override;
  void note(const std::string& line) override;
  [[nodiscard]] std::string location() const override;
  /// VDIF frames written, those marked as invalid, files.
  [[nodiscard]] std::vector<Counter> counters() const override;
  [[nodiscard]] std::vector<std::string> warnings() const override;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace takt::sensors
