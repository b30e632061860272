#pragma once
/// A PSRDADA file: 4096 bytes of header, then samples.

#include <string>
#include <vector>

#include "sensors/files/gap_filling_sink.hpp"

namespace takt::sensors {

struct DadaOptions {
  OutputOptions output;
  std::string source_name = "takt";
  std::string telescope = "unset";
  std::string instrument = "takt";
  /// The mask is a file with `.mask` behind its name beside each file: one byte for each sample, in its
  /// order, without a header.
  MissingPolicy missing;
};

/// What all frames of a file have in common.
struct DadaLayout {
  std::size_t samples = 1, channels = 1, polarisations = 1;
  /// 2 for complex samples.
  std::size_t dimensions = 1;
  double sample_s = 0;
  /// Of the whole band; 0 where frequencies are not known.
  double centre_hz = 0, bandwidth_hz = 0;

  /// Values of one channel at one time.
  [[nodiscard]] std::size_t run() const { return polarisations * dimensions; }
  [[nodiscard]] std::size_t record_bytes() const { return samples * channels * run() * sizeof(float); }
};

/// Takes `complex_float32[beamlet][time][polarisation]` (NDIM 2) and `float32[time][channel]` (NDIM 1) of
/// known rate, with evenly spaced frequencies or none, and writes 32-bit floats in the order time, channel,
/// polarisation.
///
/// Frames that are missing in the sequence, and values that are missing (NaN in frames whose header tells of
/// missing parts), are zeros, or what the options say, and counted. A new epoch begins a new file. UTC_START
/// is a whole second, PICOSECONDS what is beyond it.
class DadaSink final : public GapFillingSink {
 public:
  /// Throws ConfigError when frames of this type cannot be in such a file, with the reason.
  DadaSink(const DadaOptions& options, const FrameType& type);

 private:
  DadaSink(const DadaOptions& options, const FrameType& type, const DadaLayout& layout);
  void begin() override;
  void append(const Record& record) override;
  [[nodiscard]] bool holds_values_alone() const override { return true; }
  std::span<const std::byte> in_file_order(std::span<const std::byte> mask) override;

  const DadaOptions options_;
  const DadaLayout layout_;
  /// A frame and its mask in the order of the file; empty where that is the frame's own.
  std::vector<float> record_;
  std::vector<std::byte> mask_;
};

}  // namespace takt::sensors
