#pragma once
/// The summary of a filterbank file: its mean spectrum and its strongest peak.

#include <cstddef>
#include <string>
#include <vector>

#include "sensors/sigproc/header.hpp"

namespace takt::sensors {

struct SpectrumSummary {
  /// Mean of each channel over all samples, first IF, without missing values (NaN or infinite); NaN for a
  /// channel without any.
  std::vector<double> mean;
  /// The channel with the largest deviation, its frequency, and the deviation: (mean - median) / deviation of
  /// all channels (1.4826 times the median absolute deviation).
  std::size_t peak_channel = 0;
  double peak_mhz = 0;
  double peak_sigma = 0;
};

/// Throws ConfigError if the file has no samples.
[[nodiscard]] SpectrumSummary summarise(const SigprocFile& file);

/// Returns the header, the summary and a drawing of the spectrum, in lines of 80 characters.
[[nodiscard]] std::string describe(const SigprocFile& file);

}  // namespace takt::sensors
