#pragma once
/// The SIGPROC filterbank format (.fil): header and reader.
///
/// A header is a list of keywords with values, strings preceded by their length, all little-endian
/// (keywords.hpp). The number of samples follows from the size of the file. Source: Lorimer, "SIGPROC
/// (Pulsar) Signal Processing Programs", chapter on data formats.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "sensors/files/sample_layout.hpp"

namespace takt::sensors {

struct SigprocHeader {
  std::string source_name;
  int telescope_id = 0;
  int machine_id = 0;
  /// 1 for a filterbank, 2 for a time series, 6 for dedispersed subbands.
  int data_type = 1;
  /// Bits per value: 1, 2, 4, 8 or 16 (integers) or 32 (floating point).
  int nbits = 32;
  /// Whether integers of 8 and 16 bits are two's complement.
  bool is_signed = false;
  int nchans = 1;
  /// Polarisations or Stokes parameters.
  int nifs = 1;
  /// Centre of the first channel and step to the next one, MHz; for a table its first one and the mean step.
  double fch1_mhz = 0;
  double foff_mhz = 0;
  /// Centres of all channels, MHz, if the header has a table of them.
  std::vector<double> table_mhz;
  /// Seconds per sample.
  double tsamp_s = 0;
  /// Modified Julian date of the first sample, UTC.
  double tstart_mjd = 0;
  /// Samples in the file; 0: unknown.
  std::uint64_t nsamples = 0;
  friend bool operator==(const SigprocHeader&, const SigprocHeader&) = default;

  [[nodiscard]] double channel_mhz(std::size_t channel) const;
};

/// Encodes a header; the length is the same for equal source names.
[[nodiscard]] std::vector<std::byte> encode(const SigprocHeader& header);

/// A header and the reader's results.
struct SigprocReading {
  SigprocHeader header;
  std::size_t header_bytes = 0;
  /// Warnings for the user, and lines `keyword: value` that describe the observation.
  std::vector<std::string> warnings, description;
};

/// Reads the header only. Throws ConfigError with the path and the offset or the keyword if it is invalid,
/// lacks a required keyword (`nbits`, `nchans`, `tsamp`, `tstart`, `fch1` and `foff` or a table), or has an
/// unsupported value.
[[nodiscard]] SigprocReading read_sigproc_header(const std::filesystem::path& path);

/// Returns the layout of such a file for a source: float32[time][channel], or [time][stokes][channel] with
/// several IFs.
[[nodiscard]] SampleLayout layout_of(const SigprocReading& reading, std::size_t samples_per_frame);

/// The result of `read_sigproc`.
struct SigprocFile {
  SigprocHeader header;
  std::size_t header_bytes = 0;
  /// Number of whole samples; a truncated last one is omitted.
  std::size_t samples = 0;
  /// [sample][IF][channel].
  std::vector<float> values;
  std::vector<std::string> warnings;
};

/// Reads a whole file. Throws ConfigError as read_sigproc_header does.
[[nodiscard]] SigprocFile read_sigproc(const std::filesystem::path& path);

/// Returns the modified Julian date of UTC nanoseconds since 1970; a double resolves about a microsecond.
[[nodiscard]] double mjd_of_utc(std::int64_t utc_ns);
/// The inverse of mjd_of_utc, to about a microsecond.
[[nodiscard]] std::int64_t utc_of_mjd(double mjd);

}  // namespace takt::sensors
