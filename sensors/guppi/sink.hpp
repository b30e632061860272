#pragma once
/// GUPPI raw files, as rawspec, dspsr and others read them.

#include <cstdint>
#include <string>
#include <vector>

#include "sensors/files/gap_filling_sink.hpp"

namespace takt::sensors {

struct GuppiSinkOptions {
  OutputOptions output;
  /// Values are integers: not NaN.
  MissingPolicy missing;
  /// Of each real or imaginary part, two's complement: 8 or 16.
  int bits = 8;
  /// Values are multiplied by this before they are rounded.
  double scale = 1;
  std::string source_name = "takt";
  std::string telescope = "unset";
  std::string backend = "takt";
};

/// What all blocks of a file have in common.
struct GuppiLayout {
  std::size_t samples = 1, channels = 1, polarisations = 1;
  std::size_t block_bytes = 0;
  double sample_s = 0;
  /// Of the whole band; 0 where frequencies are not known.
  double centre_hz = 0, bandwidth_hz = 0;
};

/// Takes `complex_float32[beamlet][time][polarisation]` of known rate, with evenly spaced frequencies or
/// none, and one or two polarisations; one alone needs several beamlets, since headers of one channel and one
/// polarisation stand for real samples.
///
/// A frame is a block, [channel][time][polarisation][real, imaginary], and PKTIDX counts them. Headers of
/// blocks that were filled in for lost frames, or of which a share is missing, tell so: NDROP, DROPBLK.
class GuppiSink final : public GapFillingSink {
 public:
  /// Throws ConfigError when frames of this type cannot be in such a file, with the reason; OptionError.
  GuppiSink(const GuppiSinkOptions& options, const FrameType& type);

  [[nodiscard]] std::vector<Counter> counters() const override;

 private:
  GuppiSink(const GuppiSinkOptions& options, const FrameType& type, const GuppiLayout& layout);
  void begin() override;
  void append(const Record& record) override;
  void save_more(StateWriter& state) const override;
  void load_more(StateReader& state) override;
  /// Into `header_`, whose first part all blocks of a file have in common.
  void encode_header(const Record& record);

  const GuppiSinkOptions options_;
  const GuppiLayout layout_;
  std::string header_;
  std::size_t common_bytes_ = 0;
  std::vector<std::byte> block_;
  Tally clipped_;
};

}  // namespace takt::sensors
