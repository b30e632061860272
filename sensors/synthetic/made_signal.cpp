#include "sensors/synthetic/made_signal.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sensors/synthetic/split_mix.hpp"

namespace takt::sensors {

namespace {

/// A prime, so that no period of packets coincides with it.
constexpr std::uint64_t noise_places = 65'521;

}  // namespace

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
    // Removes whole cycles while numbers are still small.
    const double turns = std::fmod(tone_hz_ / sample_hz_ * sample, 1.0) - tone_hz_ * delay_s +
                         0.5 * signal_.drift_hz_per_second * t * t;
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
    // Sample of the stream; negative if the delay reaches back before its beginning.
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
