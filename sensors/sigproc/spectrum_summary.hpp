#pragma once
/// A filterbank file at a glance: its mean spectrum and what stands out of it.

#include <cstddef>
#include <string>
#include <vector>

#include "sensors/sigproc/header.hpp"

namespace takt::sensors {

struct SpectrumSummary {
  /// Mean over all samples of each channel, first IF; missing ones (no numbers, or infinite) do not count, a
  /// channel without any is NaN.
  std::vector<double> mean;
  /// The channel that stands out most, its frequency, and by how much: (mean - median) / deviation of all
  /// channels (1.4826 times the median absolute deviation).
  std::size_t peak_channel = 0;
  double peak_mhz = 0;
  double peak_sigma = 0;
};

/// Throws ConfigError when the file has no samples.
[[nodiscard]] SpectrumSummary summarise(const SigprocFile& file);

/// The header, the summary and the spectrum as a drawing, in lines of 80 letters.
[[nodiscard]] std::string describe(const SigprocFile& file);

}  // namespace takt::sensors
