#pragma once
/// SigMF recordings: samples in a file, and a JSON file beside it that says what they are.
///
/// Source: "The Signal Metadata Format Specification" v1.0.0. Of it `core:datatype`, `core:sample_rate`,
/// `core:num_channels`, `core:offset` and the first of `captures` (`core:frequency`, `core:datetime`,
/// `core:sample_start`, `core:header_bytes`) are read.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "sensors/sample_file_source.hpp"

namespace takt::sensors {

struct SigmfHeader {
  /// Of the samples.
  std::filesystem::path data;
  bool is_complex = true;
  /// `f32`, `f64`, `i32`, `i16`, `i8`, `u32`, `u16` or `u8`.
  std::string number = "f32";
  bool is_big_endian = false;
  std::size_t channels = 1;
  /// Samples a second; 0: not told.
  double sample_hz = 0;
  /// Of the first capture; 0: not told.
  double frequency_hz = 0;
  std::int64_t utc_ns = 0;
  /// Of the file's first sample.
  std::uint64_t offset = 0;
  /// Bytes before the first capture's samples, and samples before it.
  std::uint64_t header_bytes = 0, first_sample = 0;

  [[nodiscard]] std::size_t number_bytes() const;
};

/// `file` is NAME.sigmf-meta, NAME.sigmf-data or NAME. Throws ConfigError with the path, the key and what was
/// expected.
[[nodiscard]] SigmfHeader read_sigmf(const std::filesystem::path& file);

/// `complex_float32` or `float32` `[beamlet=channels][time=samples][polarisation=1]`; integers as they are.
/// Throws OptionError.
[[nodiscard]] SampleLayout layout_of(const SigmfHeader& header, std::size_t samples);

}  // namespace takt::sensors
