#pragma once
/// A sink for GUPPI raw files, which rawspec, dspsr and other programs read.

#include <cstdint>
#include <string>
#include <vector>

#include "sensors/files/gap_filling_sink.hpp"

namespace takt::sensors {

struct GuppiSinkOptions {
  OutputOptions output;
  /// Values are integers: not NaN.
  MissingPolicy missing;
  /// Bits of each real or imaginary part, two's complement: 8 or 16.
  int bits = 8;
  /// Factor of the values before rounding.
  double scale = 1;
  std::string source_name = "takt";
  std::string telescope = "unset";
  std::string backend = "takt";
};

/// The common properties of all blocks of a file.
struct GuppiLayout {
  std::size_t samples = 1, channels = 1, polarisations = 1;
  std::size_t block_bytes = 0;
  double sample_s = 0;
  /// Of the whole band; 0 if frequencies are unknown.
  double centre_hz = 0, bandwidth_hz = 0;
};

/// Accepts `complex_float32[beamlet][time][polarisation]` of known rate, with evenly spaced frequencies or
/// none, and one or two polarisations. A single polarisation requires several beamlets, since a header of one
/// channel and one polarisation means real samples.
///
/// A frame is a block, [channel][time][polarisation][real, imaginary], and PKTIDX counts them. Headers of
/// blocks that replace lost frames, or are incomplete, contain the missing share: NDROP, DROPBLK.
class GuppiSink final : public GapFillingSink {
 public:
  /// Throws ConfigError with the reason if frames of this type cannot be in such a file; OptionError.
  GuppiSink(const GuppiSinkOptions& options, const FrameType& type);

  [[nodiscard]] std::vector<Counter> counters() const override;

 private:
  GuppiSink(const GuppiSinkOptions& options, const FrameType& type, const GuppiLayout& layout);
  void begin() override;
  void append(const Record& record) override;
  void save_more(StateWriter& state) const override;
  void load_more(StateReader& state) override;
  /// Writes to `header_`, whose first part is common to all blocks of a file.
  void encode_header(const Record& record);

  const GuppiSinkOptions options_;
  const GuppiLayout layout_;
  std::string header_;
  std::size_t common_bytes_ = 0;
  std::vector<std::byte> block_;
  Tally clipped_;
};

}  // namespace takt::sensors
