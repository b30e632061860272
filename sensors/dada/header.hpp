#pragma once
/// The header of a PSRDADA file: lines `KEY value # comment` in HDR_SIZE bytes before the data.
///
/// Source: PSRDADA, "Distributed Acquisition and Data Analysis", header of the ASCII keywords; TSAMP is in
/// microseconds, FREQ and BW in MHz, OBS_OFFSET in bytes of data since UTC_START; PICOSECONDS is the fraction
/// of its second. All keywords: dada/keywords.hpp.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sensors/files/sample_layout.hpp"

namespace takt::sensors {

/// The coding of numbers.
enum class DadaEncoding : std::uint8_t { twos_complement, offset_binary, floating };

/// The user's values that replace those of the header.
struct DadaReading {
  /// As ORDER and INNER_T; empty and 0: from the header.
  std::string order;
  std::size_t heap_samples = 0;
  /// UTC of the observation's first sample, nanoseconds since 1970.
  std::optional<std::int64_t> start_ns;
  /// For 1, 2 and 4 bits: the first number occupies the highest bits of a byte.
  bool is_high_first = false;
};

struct DadaHeader {
  std::uint64_t header_bytes = 4096;
  int bits = 8;
  DadaEncoding encoding = DadaEncoding::twos_complement;
  bool is_big_endian = false, is_high_first = false;
  /// 2 for complex, 1 for real samples.
  int dimensions = 2;
  std::size_t polarisations = 1;
  std::size_t channels = 1;
  /// Axes from the slowest to the fastest, without those of size 1: begins with T; a second T represents the
  /// `heap_samples` times of a heap.
  std::string order = "TFP";
  std::size_t heap_samples = 1;
  /// Seconds between samples.
  double sample_s = 0;
  double frequency_hz = 0;
  /// Negative if channels are in descending order.
  double bandwidth_hz = 0;
  /// Time of the observation's first sample, and bytes of data from there to this file's.
  std::int64_t utc_start_ns = 0;
  std::uint64_t offset_bytes = 0;
  std::string source_name;
  /// As in Source.
  std::vector<std::string> description, warnings;

  [[nodiscard]] std::size_t values_per_sample() const {
    return channels * polarisations * static_cast<std::size_t>(dimensions);
  }
  [[nodiscard]] std::size_t heap_bits() const {
    return values_per_sample() * heap_samples * static_cast<std::size_t>(bits);
  }
  /// Returns the bytes of all values at one time; with heaps, possibly not a whole number.
  [[nodiscard]] double bytes_per_sample() const {
    return static_cast<double>(values_per_sample()) * bits / 8;
  }
};

/// Throws ConfigError with the path, the keyword, and what was expected; OptionError for `start` if neither
/// the header nor the user defines the start of the observation.
[[nodiscard]] DadaHeader read_dada_header(const std::filesystem::path& path, const DadaReading& reading = {});

/// Complex samples become `complex_float32[beamlet=channels][time=samples][polarisation]`, as `fft` expects,
/// real ones `float32[time][channel][polarisation]`, for any order in the file. For 1 bit, codes are -1 and
/// 1. Throws ConfigError if the file's time is implausible.
[[nodiscard]] SampleLayout layout_of(const DadaHeader& header, std::size_t samples_per_frame);

/// Parses `2013-07-02-01:37:40.5` (UTC; `T` before the hour) to ns since 1970. Throws ConfigError.
[[nodiscard]] std::int64_t parse_utc(std::string_view text);

}  // namespace takt::sensors
