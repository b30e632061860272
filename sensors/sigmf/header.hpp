#pragma once
/// SigMF recordings: samples in a file, and a JSON file beside it that says what they are, or both in an
/// archive.
///
/// Source: "The Signal Metadata Format Specification" v1.2. What is done with each key: keywords.hpp.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sensors/files/sample_file_source.hpp"
#include "sensors/files/sample_numbers.hpp"

namespace takt::sensors {

/// A capture segment: from its first sample to the next segment's.
struct SigmfCapture {
  std::uint64_t first_sample = 0;
  /// Bytes before its samples.
  std::uint64_t header_bytes = 0;
  std::optional<std::int64_t> utc_ns;
  /// Of the last digit of a fraction of a second; 0 without a fraction, which stands for a whole second.
  std::int64_t utc_digit_ns = 0;
  std::optional<double> frequency_hz;
  /// Of the first sample on the receiver's clock.
  std::optional<std::uint64_t> global_index;
};

struct SigmfHeader {
  /// The metadata, or the archive with the recording's name, for messages.
  std::string meta;
  /// Of the samples, and from where to where they lie in it.
  std::filesystem::path data;
  std::uint64_t begin = 0, end = 0;
  /// Bytes of the whole dataset from `begin` on, with those behind the samples.
  std::uint64_t dataset_bytes = 0;
  bool is_complex = true;
  SampleNumber number;
  std::size_t channels = 1;
  /// Samples a second; 0: not told.
  double sample_hz = 0;
  /// Number of the file's first sample.
  std::uint64_t offset = 0;
  /// At least one.
  std::vector<SigmfCapture> captures;
  /// Number behind the last sample that captures or annotations describe, or an archive's size tells.
  std::uint64_t described_end = 0;
  std::string described_by;
  /// Hexadecimal; empty: not told.
  std::string sha512;
  /// What the user should know, and lines `key: value` of what describes the recording.
  std::vector<std::string> warnings, description;
};

/// `file` is NAME.sigmf-meta, NAME.sigmf-data or NAME, or an archive NAME.sigmf, of which `recording` chooses
/// one of several recordings. Throws ConfigError with the path, the key and what was expected.
[[nodiscard]] SigmfHeader read_sigmf(const std::filesystem::path& file, const std::string& recording = {});

struct SigmfOptions {
  /// Of a frame.
  std::size_t samples = 0;
  /// What stands for 0; nothing: middle_of the numbers.
  std::optional<double> zero = {};
  /// One of the captures alone.
  std::optional<std::size_t> capture = {};
  /// Whether the checksum is compared before the run.
  bool verify = true;
};

/// `complex_float32` or `float32` `[beamlet=channels][time=samples][polarisation=1]`. A capture that does not
/// follow the one before in time begins a new epoch. Throws OptionError, and ConfigError for captures of
/// several frequencies.
[[nodiscard]] SampleLayout layout_of(const SigmfHeader& header, const SigmfOptions& options);

}  // namespace takt::sensors
