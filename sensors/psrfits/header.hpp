#pragma once
/// The headers of a PSRFITS search-mode file.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sensors/files/header_keywords.hpp"
#include "sensors/psrfits/fits_file.hpp"

namespace takt::sensors {

/// The headers' description of the samples.
struct PsrfitsHeader {
  std::size_t bits = 8, channels = 1, polarisations = 1, block = 1, rows = 0;
  /// Rows of the table that are missing in the truncated file.
  std::size_t missing_rows = 0;
  /// Samples of the last row: fewer than a block if NSTOT requires it.
  std::size_t last_block = 1;
  bool is_signed = false;
  double zero_off = 0, sample_s = 0, zero = 0;
  int data = 0, frequency = 0, weights = 0, offsets = 0, scales = 0, times = 0;
  std::int64_t start_ns = 0;
  /// Largest rounding of OFFS_SUB to whole samples.
  double rounded_s = 0;
  std::vector<double> frequencies_mhz;
  bool is_stokes = false;
  std::vector<std::string> description, warnings;

  [[nodiscard]] std::size_t values() const { return polarisations * channels; }
};

/// Reads the headers of both units, and adds their keywords to `notes`; leaves the file at SUBINT. Throws
/// ConfigError if the file is no PSRFITS search-mode file.
[[nodiscard]] PsrfitsHeader read_psrfits_header(FitsFile& file, HeaderNotes& notes);

/// Returns the number of each row's first sample since the observation's start. Sets `rounded_s`; adds a
/// warning if the rows' times are not valid.
[[nodiscard]] std::vector<std::uint64_t> row_starts(const FitsFile& file, PsrfitsHeader& header);

/// Returns how this row's channels differ from those of row 0; otherwise empty.
[[nodiscard]] std::string other_frequencies(const FitsFile& file, const PsrfitsHeader& header,
                                            std::size_t row);

}  // namespace takt::sensors
