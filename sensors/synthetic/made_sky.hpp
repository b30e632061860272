#pragma once
/// A made-up sky: what all receivers see, each by its delay, and the noise that each has of its own.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/units.hpp"

namespace takt::sensors {

/// Levels are in counts: standard deviations of each real sample, or real or imaginary part.
struct MadeSignal {
  /// Of each receiver's own noise.
  double noise = 0;
  /// amplitude * exp(2 pi i (f t + drift t^2 / 2)), or its real part; t from the stream's beginning.
  double tone_amplitude = 0, drift_hz_a_second = 0;
  /// Noise of the sky: the same at the same moment for all lanes and all streams with the same `sky_seed`.
  double common = 0;
  /// By how much it is louder during pulses, which begin at whole multiples of the period since 1970, at
  /// infinite frequency; at frequency f they are later by dispersion_delay.
  double pulse_amplitude = 0;
  Time pulse_period{0}, pulse_width{0};
  /// Parsecs per cubic centimetre.
  double dispersion_measure = 0;
  /// Of sampled streams: where on the sky frequency 0 of each channel's samples lies, in Hz. Of the first
  /// channel alone: the others follow one after the other. Empty: unknown, so that nothing can be dispersed.
  std::vector<double> channel_hz;
  /// How much later the sky reaches each lane than the first moment of all; those that are not there: 0. The
  /// sky's noise is moved by whole samples, a tone exactly.
  std::vector<Time> delays;
  std::uint64_t seed = 1, sky_seed = 1;

  [[nodiscard]] bool has_sky_noise() const { return common > 0 || pulse_amplitude > 0; }
  [[nodiscard]] double delay_s(std::size_t lane) const {
    return lane < delays.size() ? std::chrono::duration<double>(delays[lane]).count() : 0.0;
  }
};

/// Throws OptionError; `has_frequencies`: whether a format itself knows the sky frequencies of its channels,
/// without which, and without `channel_hz`, nothing can be dispersed.
void validate(const MadeSignal& signal, std::size_t lanes, bool has_frequencies);

/// Seconds by which a signal at this frequency comes later than at infinite frequency, for each unit of the
/// dispersion measure. Source: Lorimer and Kramer, "Handbook of pulsar astronomy" (2004), section 4.1.1.
[[nodiscard]] double dispersion_delay(double frequency_hz);

/// The sky's noise: what a channel's sample is follows from the seed and the moment alone.
class SkyNoise {
 public:
  explicit SkyNoise(const MadeSignal& signal);

  /// A standard normal number for a part (0 and 1: real and imaginary) of a channel's sample.
  [[nodiscard]] float at(std::uint64_t sample, std::size_t channel, std::size_t part) const;
  /// How loud it is at a moment in nanoseconds since 1970, at this dispersion delay in seconds.
  [[nodiscard]] float level(std::int64_t utc_ns, double dispersion_s) const;

 private:
  std::uint64_t seed_;
  float common_, pulse_;
  std::int64_t period_ns_, width_ns_;
  std::vector<float> pool_;
};

}  // namespace takt::sensors
