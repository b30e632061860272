#pragma once
/// The SIGPROC filterbank format (.fil): header and reader.
///
/// A header is a list of keywords with values, strings with their length in front, all little-endian. Nothing
/// tells the number of samples: it follows from the size of the file. Source: Lorimer, "SIGPROC (Pulsar)
/// Signal Processing Programs", chapter on data formats.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "sensors/sample_file_source.hpp"

namespace takt::sensors {

struct SigprocHeader {
  std::string source_name;
  int telescope_id = 0;
  int machine_id = 0;
  /// 1 for a filterbank, 2 for a time series.
  int data_type = 1;
  /// Bits a value: 8 (unsigned), 16 (unsigned) or 32 (float).
  int nbits = 32;
  int nchans = 1;
  /// Polarisations or Stokes parameters.
  int nifs = 1;
  /// Centre of the first channel and step to the next one, MHz.
  double fch1_mhz = 0;
  double foff_mhz = 0;
  /// Seconds a sample.
  double tsamp_s = 0;
  /// Modified Julian date of the first sample, UTC.
  double tstart_mjd = 0;
  friend bool operator==(const SigprocHeader&, const SigprocHeader&) = default;
};

/// Always of the same length for the same source name.
[[nodiscard]] std::vector<std::byte> encode(const SigprocHeader& header);

/// Reads the header alone, which may tell of values of 1, 2, 4, 8, 16 or 32 bits, and says how many bytes it
/// has. Throws ConfigError as read_sigproc does.
[[nodiscard]] SigprocHeader read_sigproc_header(const std::filesystem::path& path, std::size_t& header_bytes);

/// How a source takes the samples of such a file: float32[time][channel], or [time][stokes][channel] with
/// several IFs.
[[nodiscard]] SampleLayout layout_of(const SigprocHeader& header, std::size_t header_bytes,
                                     std::size_t samples_a_frame);

/// What `read_sigproc` finds.
struct SigprocFile {
  SigprocHeader header;
  std::size_t header_bytes = 0;
  /// Whole samples; bytes of a sample that was cut off are left out.
  std::size_t samples = 0;
  /// [sample][IF][channel].
  std::vector<float> values;
};

/// Reads a whole file; keywords that are not among SigprocHeader's are passed over. Throws ConfigError with
/// the path and the offset when it is not such a file.
[[nodiscard]] SigprocFile read_sigproc(const std::filesystem::path& path);

/// Modified Julian date of a time in nanoseconds since 1970, UTC; a double holds it to about a microsecond.
[[nodiscard]] double mjd_of_utc(std::int64_t utc_ns);
/// The inverse of mjd_of_utc, to about a microsecond.
[[nodiscard]] std::int64_t utc_of_mjd(double mjd);

}  // namespace takt::sensors
