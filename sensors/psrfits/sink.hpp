#pragma once
/// A sink for PSRFITS search-mode files, which PRESTO, dspsr and other programs read.
///
/// Source: Hotan, van Straten, Manchester 2004 (PASA 21, 302), the PSRFITS definition 6.1 (ATNF), and the
/// FITS standard 4.0, section 7.3 (binary tables).

#include <cstdint>
#include <string>
#include <vector>

#include "sensors/files/gap_filling_sink.hpp"

namespace takt::sensors {

struct PsrfitsSinkOptions {
  OutputOptions output;
  MissingPolicy missing;
  /// Bits of each value: 8 or 32 (floating point) for float32, 8 for uint8; 0: as the elements.
  int bits = 0;
  std::string source_name = "takt";
  std::string telescope = "unset";
  std::string backend = "takt";
};

/// The common properties of all rows of a file.
struct PsrfitsLayout {
  std::size_t samples = 1, polarisations = 1, channels = 1;
  std::size_t bits = 8;
  double sample_s = 0;
  std::vector<double> frequencies_mhz;
  /// The value of POL_TYPE.
  std::string polarisation_type;

  [[nodiscard]] std::size_t values_per_sample() const { return polarisations * channels; }
  [[nodiscard]] std::size_t values() const { return samples * values_per_sample(); }
  [[nodiscard]] std::size_t row_bytes() const;
};

/// Accepts `float32` or `uint8` frames `[time][stokes][channel]` or `[time][polarisation][channel]`, whose
/// first two axes are optional; the last one, `channel` or `beamlet`, has frequencies. `stokes` has one or
/// four indices, `polarisation` one, two or four.
///
/// A frame is a row of the table SUBINT. With 8 bits, float32 values are codes from 0 to 255, from the
/// smallest value of each polarisation and channel in the row (DAT_OFFS) to the largest one (DAT_SCL).
/// DAT_WTS is 0 for channels without any value in a row, unless values are held. The header is updated with
/// the number of rows after each frame, and the file always consists of whole FITS blocks.
class PsrfitsSink final : public GapFillingSink {
 public:
  /// Throws ConfigError with the reason if frames of this type cannot be in such a file; OptionError.
  PsrfitsSink(const PsrfitsSinkOptions& options, const FrameType& type);

  /// Also throws ConfigError for a pipe, in which the number of rows cannot be updated.
  void open() override;
  [[nodiscard]] std::vector<Counter> counters() const override;

 private:
  PsrfitsSink(const PsrfitsSinkOptions& options, const FrameType& type, PsrfitsLayout layout);
  void begin() override;
  void append(const Record& record) override;
  void settle() override;
  void save_more(StateWriter& state) const override;
  void load_more(StateReader& state) override;

  void encode_header();
  void put_weights(const Record& record, std::byte* to) const;
  void put_as_they_are(const Record& record);
  void put_scaled(const Record& record);

  const PsrfitsSinkOptions options_;
  const PsrfitsLayout layout_;
  const bool is_integer_;
  std::string header_, rows_card_;
  /// Offset of the table's card NAXIS2 in the file.
  std::size_t rows_at_ = 0;
  std::vector<std::byte> row_;
  /// NaN or infinite values that are not missing, which codes cannot represent.
  Tally clipped_;
};

}  // namespace takt::sensors
