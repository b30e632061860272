#pragma once
/// SigMF recordings: a file of samples and a JSON file with their description, or both in an
/// archive.
///
/// Source: "The Signal Metadata Format Specification" v1.2. The treatment of each key: keywords.hpp.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sensors/files/sample_layout.hpp"
#include "sensors/files/sample_numbers.hpp"

namespace takt::sensors {

/// A capture segment: from its first sample to the next segment's.
struct SigmfCapture {
  std::uint64_t first_sample = 0;
  /// Bytes before its samples.
  std::uint64_t header_bytes = 0;
  std::optional<std::int64_t> utc_ns;
  /// Unit of the last digit of a fraction of a second; 0 without a fraction, for a whole second.
  std::int64_t utc_digit_ns = 0;
  std::optional<double> frequency_hz;
  /// Number of the first sample on the receiver's clock.
  std::optional<std::uint64_t> global_index;
};

struct SigmfHeader {
  /// The metadata, or the archive with the recording's name, for messages.
  std::string meta;
  /// The file of the samples, and their extent in it.
  std::filesystem::path data;
  std::uint64_t begin = 0, end = 0;
  /// Bytes of the whole dataset from `begin` on, including those after the samples.
  std::uint64_t dataset_bytes = 0;
  bool is_complex = true;
  SampleNumber number;
  std::size_t channels = 1;
  /// Samples per second; 0: unknown.
  double sample_hz = 0;
  /// Number of the file's first sample.
  std::uint64_t offset = 0;
  /// At least one.
  std::vector<SigmfCapture> captures;
  /// Number after the last sample described by captures, annotations or an archive's size.
  std::uint64_t described_end = 0;
  std::string described_by;
  /// Hexadecimal; empty: unknown.
  std::string sha512;
  /// Warnings for the user, and lines `key: value` that describe the recording.
  std::vector<std::string> warnings, description;
};

/// `file` is NAME.sigmf-meta, NAME.sigmf-data or NAME, or an archive NAME.sigmf, from which `recording`
/// selects one of several recordings. Throws ConfigError with the path, the key and what was expected.
[[nodiscard]] SigmfHeader read_sigmf(const std::filesystem::path& file, const std::string& recording = {});

struct SigmfOptions {
  /// Samples of a frame.
  std::size_t samples = 0;
  /// The code of 0; default: middle_of the numbers.
  std::optional<double> zero = {};
  /// Selects one of the captures.
  std::optional<std::size_t> capture = {};
  /// Whether to verify the checksum before the run.
  bool verify = true;
};

/// `complex_float32` or `float32` `[beamlet=channels][time=samples][polarisation=1]`. A capture that does not
/// follow the previous one in time begins a new epoch. Throws OptionError, and ConfigError for captures of
/// several frequencies.
[[nodiscard]] SampleLayout layout_of(const SigmfHeader& header, const SigmfOptions& options);

}  // namespace takt::sensors
