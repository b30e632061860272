#include "sensors/made_signal.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "sensors/option_error.hpp"
#include "sensors/split_mix.hpp"

namespace takt::sensors {

namespace {

/// A prime, so that no period of packets meets it.
constexpr std::uint64_t noise_places = 65'521;
/// Of the sky's noise; a power of two, since a place is drawn for each number.
constexpr std::size_t sky_places = 1 << 16;

void check_level(const char* option, double level) {
  if (!(level >= 0) || !std::isfinite(level))
    throw OptionError(option, fmt::format("a level of {} cannot be, expected counts, 0 or more", level));
}

std::uint64_t mixed(std::uint64_t value) {
  return SplitMix(value).next();
}

}  // namespace

void validate(const MadeSignal& signal, std::size_t lanes, bool has_frequencies) {
  if (!(signal.noise >= 0) || !std::isfinite(signal.noise))
    throw OptionError(
        "noise", fmt::format("a noise level of {} cannot be, expected a standard deviation", signal.noise));
  check_level("tone", signal.tone_amplitude);
  check_level("common", signal.common);
  check_level("pulse", signal.pulse_amplitude);
  if (!std::isfinite(signal.drift_hz_a_second))
    throw OptionError("drift", fmt::format("a drift of {} cannot be", signal.drift_hz_a_second));
  if (signal.pulse_amplitude > 0 &&
      (signal.pulse_width <= Time(0) || signal.pulse_width >= signal.pulse_period))
    throw OptionError("pulse", fmt::format("pulses of {} every {} cannot be, expected a width above 0 and "
                                           "below the period",
                                           to_string(signal.pulse_width), to_string(signal.pulse_period)));
  if (!(signal.dispersion_measure >= 0) || !std::isfinite(signal.dispersion_measure))
    throw OptionError("dm", fmt::format("a dispersion measure of {} cannot be, expected 0 or more",
                                        signal.dispersion_measure));
  for (const double hertz : signal.channel_hz)
    if (!(hertz > 0) || !std::isfinite(hertz))
      throw OptionError("frequency",
                        fmt::format("a frequency of {} Hz is not valid: expected more than 0", hertz));
  if (signal.dispersion_measure > 0 && !has_frequencies && signal.channel_hz.empty())
    throw OptionError("dm",
                      "dispersed pulses need the frequency on the sky of the stream's channels: expected "
                      "--frequency FREQUENCY, the sky frequency of the samples' frequency 0");
  if (signal.delays.size() > lanes)
    throw OptionError("delay", fmt::format("{} delays are given for {} lanes", signal.delays.size(), lanes));
  for (const Time delay : signal.delays)
    if (delay < Time(0))
      throw OptionError("delay", fmt::format("a delay of {} cannot be, expected 0 or more: what comes first "
                                             "has none",
                                             to_string(delay)));
}

double dispersion_delay(double frequency_hz) {
  constexpr double seconds_mhz_squared = 4.148808e3;
  const double mhz = frequency_hz * 1e-6;
  return seconds_mhz_squared / (mhz * mhz);
}

SkyNoise::SkyNoise(const MadeSignal& signal)
    : seed_(mixed(signal.sky_seed)),
      common_(static_cast<float>(signal.common)),
      pulse_(static_cast<float>(signal.pulse_amplitude)),
      period_ns_(std::max<std::int64_t>(signal.pulse_period.count(), 1)),
      width_ns_(signal.pulse_width.count()) {
  if (!signal.has_sky_noise()) return;
  SplitMix random(seed_);
  pool_.resize(sky_places);
  for (float& number : pool_) number = static_cast<float>(random.normal());
}

float SkyNoise::at(std::uint64_t sample, std::size_t channel, std::size_t part) const {
  return pool_[mixed(seed_ ^ (sample * 0x9E3779B97F4A7C15 + 2 * channel + part)) % sky_places];
}

float SkyNoise::level(std::int64_t utc_ns, double dispersion_s) const {
  if (pulse_ == 0) return common_;
  const std::int64_t since = (utc_ns - std::llround(dispersion_s * 1e9)) % period_ns_;
  return since >= 0 && since < width_ns_ ? common_ + pulse_ : common_;
}

SampledSignal::SampledSignal(const MadeSignal& signal, double tone_hz, double sample_hz, std::int64_t second,
                             const Shape& shape, std::size_t most_numbers)
    : signal_(signal),
      tone_hz_(tone_hz),
      sample_hz_(sample_hz),
      second_(second),
      shape_(shape),
      sky_(signal) {
  if (signal.dispersion_measure > 0 && signal.has_sky_noise())
    dispersed_.emplace(signal, sample_hz, shape.channels, shape.parts);
  SplitMix random(signal.seed);
  pool_.resize(noise_places + most_numbers);
  for (float& number : pool_) number = static_cast<float>(signal.noise * random.normal());
}

void SampledSignal::make(std::uint64_t number, std::uint64_t first_sample, std::size_t lane,
                         std::span<float> numbers) const {
  const std::size_t piece = SplitMix(signal_.seed, number).below(noise_places);
  std::copy_n(pool_.begin() + static_cast<std::ptrdiff_t>(piece), numbers.size(), numbers.begin());
  const double delay_s = signal_.delay_s(lane);
  if (signal_.tone_amplitude > 0) add_tone(first_sample, delay_s, numbers);
  if (signal_.has_sky_noise()) add_sky(first_sample, delay_s, numbers);
}

void SampledSignal::add_tone(std::uint64_t first_sample, double delay_s, std::span<float> numbers) const {
  const std::size_t stride = shape_.channels * shape_.parts;
  for (std::size_t i = 0; i < numbers.size() / stride; ++i) {
    const auto sample = static_cast<double>(first_sample + i);
    const double t = sample / sample_hz_ - delay_s;
    // Whole turns are taken off where numbers are still small.
    const double turns = std::fmod(tone_hz_ / sample_hz_ * sample, 1.0) - tone_hz_ * delay_s +
                         0.5 * signal_.drift_hz_a_second * t * t;
    const double phase = 2 * std::numbers::pi * std::fmod(turns, 1.0);
    numbers[i * stride] += static_cast<float>(signal_.tone_amplitude * std::cos(phase));
    if (shape_.parts == 2)
      numbers[i * stride + 1] += static_cast<float>(signal_.tone_amplitude * std::sin(phase));
  }
}

void SampledSignal::add_sky(std::uint64_t first_sample, double delay_s, std::span<float> numbers) const {
  const std::size_t stride = shape_.channels * shape_.parts;
  const auto delay = std::llround(delay_s * sample_hz_);
  const auto since_1970 = static_cast<std::int64_t>(
      std::llround(static_cast<long double>(second_) * static_cast<long double>(sample_hz_)));
  if (dispersed_) {
    dispersed_->add(sky_, since_1970 + static_cast<std::int64_t>(first_sample) - delay, numbers);
    return;
  }
  for (std::size_t i = 0; i < numbers.size() / stride; ++i) {
    // Of the stream; negative where the delay reaches back before its beginning.
    const std::int64_t sample = static_cast<std::int64_t>(first_sample + i) - delay;
    const std::int64_t utc_ns =
        second_ * 1'000'000'000 + std::llround(static_cast<double>(sample) / sample_hz_ * 1e9);
    const float level = sky_.level(utc_ns, 0);
    if (level == 0) continue;
    for (std::size_t k = 0; k < stride; ++k)
      numbers[i * stride + k] += level * sky_.at(static_cast<std::uint64_t>(since_1970 + sample),
                                                 k / shape_.parts, k % shape_.parts);
  }
}

}  // namespace takt::sensors
