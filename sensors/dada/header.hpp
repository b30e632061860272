#pragma once
/// The header of a PSRDADA file: `KEY value # comment`, a line each, in HDR_SIZE bytes before the data.
///
/// Source: PSRDADA, "Distributed Acquisition and Data Analysis", header of the ASCII keywords; TSAMP is in
/// microseconds, FREQ and BW in MHz, OBS_OFFSET in bytes of data since UTC_START, PICOSECONDS beyond its
/// second.

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "sensors/sample_file_source.hpp"

namespace takt::sensors {

struct DadaHeader {
  std::uint64_t header_bytes = 4096;
  int bits = 8;
  /// 2 for complex, 1 for real samples.
  int dimensions = 2;
  std::size_t polarisations = 1;
  std::size_t channels = 1;
  /// Seconds between samples.
  double sample_s = 0;
  double frequency_hz = 0;
  /// Below 0 where channels run downwards.
  double bandwidth_hz = 0;
  /// Of the first sample of the observation, and bytes of data from there to this file's.
  std::int64_t utc_start_ns = 0;
  std::uint64_t offset_bytes = 0;
  std::string source_name;
};

/// Throws ConfigError with the path, the keyword, and what was expected.
[[nodiscard]] DadaHeader read_dada_header(const std::filesystem::path& path);

/// Complex samples become `complex_float32[beamlet=channels][time=samples][polarisation]`, as `fft` takes
/// them, real ones `float32[time][channel][polarisation]`; integers are signed. Throws ConfigError.
[[nodiscard]] SampleLayout layout_of(const DadaHeader& header, std::size_t samples_a_frame);

/// `2013-07-02-01:37:40.5` or `2013-07-02T01:37:40.5`, UTC, in nanoseconds since 1970. Throws ConfigError.
[[nodiscard]] std::int64_t parse_utc(std::string_view text);

}  // namespace takt::sensors
