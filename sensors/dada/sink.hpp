#pragma once
/// A sink for PSRDADA files: 4096 bytes of header, then samples.

#include <string>
#include <vector>

#include "sensors/files/gap_filling_sink.hpp"

namespace takt::sensors {

struct DadaOptions {
  OutputOptions output;
  std::string source_name = "takt";
  std::string telescope = "unset";
  std::string instrument = "takt";
  /// The mask is an additional file with the suffix `.mask`: one byte per sample, in the same order, without
  /// a header.
  MissingPolicy missing;
};

/// The common properties of all frames of a file.
struct DadaLayout {
  std::size_t samples = 1, channels = 1, polarisations = 1;
  /// 2 for complex samples.
  std::size_t dimensions = 1;
  double sample_s = 0;
  /// Of the whole band; 0 if frequencies are unknown.
  double centre_hz = 0, bandwidth_hz = 0;

  /// Returns the values of one channel at one time.
  [[nodiscard]] std::size_t run() const { return polarisations * dimensions; }
  [[nodiscard]] std::size_t record_bytes() const { return samples * channels * run() * sizeof(float); }
};

/// Accepts `complex_float32[beamlet][time][polarisation]` (NDIM 2) and `float32[time][channel]` (NDIM 1) of
/// known rate, with evenly spaced frequencies or none. Writes 32-bit floats in the order time, channel,
/// polarisation.
///
/// Frames missing in the sequence, and missing values (NaN in frames whose header counts missing parts), are
/// replaced by zeros, or by the configured value, and counted. A new epoch begins a new file. UTC_START is a
/// whole second, PICOSECONDS its fraction.
class DadaSink final : public GapFillingSink {
 public:
  /// Throws ConfigError with the reason if frames of this type cannot be in such a file.
  DadaSink(const DadaOptions& options, const FrameType& type);

 private:
  DadaSink(const DadaOptions& options, const FrameType& type, const DadaLayout& layout);
  void begin() override;
  void append(const Record& record) override;
  [[nodiscard]] bool holds_values_alone() const override { return true; }
  std::span<const std::byte> in_file_order(std::span<const std::byte> mask) override;

  const DadaOptions options_;
  const DadaLayout layout_;
  /// A frame and its mask in the order of the file; empty if that is the frame's own.
  std::vector<float> record_;
  std::vector<std::byte> mask_;
};

}  // namespace takt::sensors
