#pragma once
/// PSRFITS search-mode files, as PRESTO, dspsr and others read them.
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
  /// Of each value: 8 or 32 (floating point) of float32, 8 of uint8; 0: as the elements are.
  int bits = 0;
  std::string source_name = "takt";
  std::string telescope = "unset";
  std::string backend = "takt";
};

/// What all rows of a file have in common.
struct PsrfitsLayout {
  std::size_t samples = 1, polarisations = 1, channels = 1;
  std::size_t bits = 8;
  double sample_s = 0;
  std::vector<double> frequencies_mhz;
  /// Of the value POL_TYPE.
  std::string polarisation_type;

  [[nodiscard]] std::size_t values_a_sample() const { return polarisations * channels; }
  [[nodiscard]] std::size_t values() const { return samples * values_a_sample(); }
  [[nodiscard]] std::size_t row_bytes() const;
};

/// Takes `float32` or `uint8` frames `[time][stokes][channel]` or `[time][polarisation][channel]`, of which
/// the first two axes may be left out; the last one, `channel` or `beamlet`, has frequencies. `stokes` has
/// one or four indices, `polarisation` one, two or four.
///
/// A frame is a row of the table SUBINT. Float32 of 8 bits are codes of 0 to 255 from the least value of each
/// polarisation and channel in the row (DAT_OFFS) to the largest one (DAT_SCL). DAT_WTS is 0 for channels of
/// which nothing is there in a row, unless values are held. The header tells the number of rows after each
/// frame, and the file is whole FITS blocks at any time.
class PsrfitsSink final : public GapFillingSink {
 public:
  /// Throws ConfigError when frames of this type cannot be in such a file, with the reason; OptionError.
  PsrfitsSink(const PsrfitsSinkOptions& options, const FrameType& type);

  /// Throws ConfigError for a pipe, too, in which no number of rows can be told.
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
  /// Where the card NAXIS2 of the table lies in the file.
  std::size_t rows_at_ = 0;
  std::vector<std::byte> row_;
  /// Values that are NaN or infinite where nothing is missing, which codes do not have.
  Tally clipped_;
};

}  // namespace takt::sensors
