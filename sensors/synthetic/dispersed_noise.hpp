#pragma once
/// Dispersed noise of the sky as samples of a receiver: lower frequencies arrive later.

#include <complex>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace takt::sensors {

struct MadeSignal;
class SkyNoise;

/// Samples `[sample][channel][part]` in blocks of N: each block is the inverse Fourier transform of white
/// spectra. The level of each bin is that of the sky one dispersion delay of its frequency earlier. Blocks
/// lie on a grid since 1970, so that all receivers observe one sky. N is the power of two nearest to f_s
/// sqrt(|d delay / d f|), for which the delay within a bin equals the length of a block. Source: Lorimer and
/// Kramer, "Handbook of pulsar astronomy" (2004), 4.1.1 and 5.2. O(log N) per number.
class DispersedNoise {
 public:
  /// The signal is valid, with a frequency for each channel or for the first one only. `parts` is 2 for
  /// complex samples, whose band begins half of the sample rate below that frequency, and 1 for real ones,
  /// whose band begins there. Throws OptionError `frequency` if a band extends down to 0.
  DispersedNoise(const MadeSignal& signal, double sample_hz, std::size_t channels, std::size_t parts);

  /// Adds the sky's noise from this sample since 1970 on.
  void add(const SkyNoise& sky, std::int64_t first_sample, std::span<float> numbers) const;

 private:
  [[nodiscard]] bool draw(const SkyNoise& sky, std::int64_t block, std::size_t channel,
                          std::vector<std::complex<float>>& spectrum) const;
  void transform(std::vector<std::complex<float>>& values) const;

  double sample_hz_;
  std::size_t channels_, parts_, block_;
  /// Seconds, `[channel][bin]`; for real samples the bins from 0 to N / 2.
  std::vector<double> delays_s_;
  std::vector<std::complex<float>> turns_;
};

}  // namespace takt::sensors
