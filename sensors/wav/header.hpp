#pragma once
/// WAV recordings of receivers and of audio: RIFF, RIFX (big-endian), RF64 and BW64.
///
/// Source: "Multimedia Programming Interface and Data Specifications 1.0" (1991), WAVE_FORMAT_EXTENSIBLE
/// (2001), EBU Tech 3306 (RF64). The chunk `auxi` of receiver programs (SpectraVue, HDSDR, SDRuno): two times
/// as SYSTEMTIME, then 32-bit numbers of which the first one is the centre frequency in Hz. EBU Tech 3285:
/// `bext`.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sensors/files/header_keywords.hpp"
#include "sensors/files/sample_layout.hpp"
#include "sensors/files/sample_numbers.hpp"

namespace takt::sensors {

/// Returns the chunks by their names, fields after the chunk's: `fmt nChannels`.
[[nodiscard]] const HeaderKeywords& wav_keywords();

struct WavHeader {
  std::filesystem::path file;
  SampleNumber number;
  std::size_t channels = 1;
  double sample_hz = 0;
  /// The actual extent of the samples in the file.
  std::uint64_t begin = 0, end = 0;
  /// Number of samples according to the header; 0: unknown.
  std::uint64_t promised_samples = 0;
  /// Whether there is a receiver's chunk `auxi`, with I and Q as pairs of channels.
  bool has_auxi = false;
  std::optional<std::int64_t> utc_ns;
  std::optional<double> frequency_hz;
  std::vector<std::string> warnings, description;
};

/// Throws ConfigError with the path and the chunk or field if the file is invalid, or has unsupported samples
/// (compressed ones).
[[nodiscard]] WavHeader read_wav(const std::filesystem::path& file);

struct WavOptions {
  /// Samples of a frame.
  std::size_t samples = 0;
  /// Whether pairs of channels are I and Q; default: if there is a chunk `auxi`.
  std::optional<bool> is_iq = {};
  /// Replace the values in the file.
  std::optional<std::int64_t> utc_ns = {};
  std::optional<double> frequency_hz = {};
};

/// `complex_float32[beamlet=pairs][time=samples][polarisation=1]` for I and Q, otherwise
/// `float32[beamlet=channels][time=samples][polarisation=1]`; integers are unchanged, those of 8 bits minus
/// 128. Throws OptionError.
[[nodiscard]] SampleLayout layout_of(const WavHeader& header, const WavOptions& options);

}  // namespace takt::sensors
