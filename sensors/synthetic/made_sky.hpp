#pragma once
/// A synthetic sky: the common signal of all receivers, each with its delay, and each receiver's own noise.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/units.hpp"

namespace takt::sensors {

/// Levels are in counts: standard deviations of each real sample, or real or imaginary part.
struct MadeSignal {
  /// Level of each receiver's own noise.
  double noise = 0;
  /// amplitude * exp(2 pi i (f t + drift t^2 / 2)), or its real part; t from the stream's beginning.
  double tone_amplitude = 0, drift_hz_per_second = 0;
  /// Noise of the sky: identical at one time for all lanes and all streams with the same `sky_seed`.
  double common = 0;
  /// Additional level during pulses, which begin at whole multiples of the period since 1970, at infinite
  /// frequency; at frequency f they are delayed by dispersion_delay.
  double pulse_amplitude = 0;
  Time pulse_period{0}, pulse_width{0};
  /// Parsecs per cubic centimetre.
  double dispersion_measure = 0;
  /// For sampled streams: the sky frequency, in Hz, of frequency 0 of each channel's samples; or of the first
  /// channel only, if the others are adjacent. Empty: unknown, without dispersion.
  std::vector<double> channel_hz;
  /// Delay of the sky at each lane, 0 by default. The sky's noise is delayed by whole samples, a tone
  /// exactly.
  std::vector<Time> delays;
  std::uint64_t seed = 1, sky_seed = 1;

  [[nodiscard]] bool has_sky_noise() const { return common > 0 || pulse_amplitude > 0; }
  [[nodiscard]] double delay_s(std::size_t lane) const {
    return lane < delays.size() ? std::chrono::duration<double>(delays[lane]).count() : 0.0;
  }
};

/// Throws OptionError. `has_frequencies`: whether the format defines the sky frequencies of its channels;
/// dispersion requires them or `channel_hz`.
void validate(const MadeSignal& signal, std::size_t lanes, bool has_frequencies);

/// Returns the delay in seconds relative to infinite frequency, per unit of the dispersion measure. Source:
/// Lorimer and Kramer, "Handbook of pulsar astronomy" (2004), section 4.1.1.
[[nodiscard]] double dispersion_delay(double frequency_hz);

/// The sky's noise: a channel's sample depends on the seed and the time only.
class SkyNoise {
 public:
  explicit SkyNoise(const MadeSignal& signal);

  /// Returns a standard normal number for a part (0 and 1: real and imaginary) of a channel's sample.
  [[nodiscard]] float at(std::uint64_t sample, std::size_t channel, std::size_t part) const;
  /// Returns the level at a time in nanoseconds since 1970, for this dispersion delay in seconds.
  [[nodiscard]] float level(std::int64_t utc_ns, double dispersion_s) const;

 private:
  std::uint64_t seed_;
  float common_, pulse_;
  std::int64_t period_ns_, width_ns_;
  std::vector<float> pool_;
};

}  // namespace takt::sensors
