#include "sensors/synthetic/dispersed_noise.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include <fmt/format.h>

#include "sensors/option_error.hpp"
#include "sensors/synthetic/made_sky.hpp"

namespace takt::sensors {

namespace {

/// Block lengths: shorter ones have too little frequency resolution, longer ones too little time resolution.
constexpr double least_block = 16, most_block = 65'536;

}  // namespace

DispersedNoise::DispersedNoise(const MadeSignal& signal, double sample_hz, std::size_t channels,
                               std::size_t parts)
    : sample_hz_(sample_hz), channels_(channels), parts_(parts) {
  std::vector<double> centres = signal.channel_hz;
  const double band_hz = parts == 2 ? sample_hz : sample_hz / 2;
  while (centres.size() < channels)
    centres.push_back(signal.channel_hz.front() + static_cast<double>(centres.size()) * band_hz);
  const double lowest_hz = std::ranges::min(centres) - (parts == 2 ? sample_hz / 2 : 0);
  if (!(lowest_hz > 0))
    throw OptionError(
        "frequency",
        fmt::format("a band of {} Hz around {} Hz reaches down to 0 Hz: expected a higher frequency",
                    sample_hz, std::ranges::min(centres)));
  const double slope = 2 * signal.dispersion_measure * dispersion_delay(lowest_hz) / lowest_hz;
  const double ideal = std::clamp(sample_hz * std::sqrt(slope), least_block, most_block);
  block_ = std::size_t{1} << std::lround(std::log2(ideal));
  const std::size_t bins = parts == 2 ? block_ : block_ / 2 + 1;
  const auto n = static_cast<double>(block_);
  for (const double centre : centres)
    for (std::size_t k = 0; k < bins; ++k) {
      const double cycles = static_cast<double>(k) - (parts == 2 && 2 * k >= block_ ? n : 0);
      delays_s_.push_back(signal.dispersion_measure * dispersion_delay(centre + cycles * sample_hz / n));
    }
  for (std::size_t k = 0; k < block_ / 2; ++k)
    turns_.push_back(std::polar(1.0F, static_cast<float>(2 * std::numbers::pi * static_cast<double>(k) / n)));
}

void DispersedNoise::add(const SkyNoise& sky, std::int64_t first_sample, std::span<float> numbers) const {
  const auto n = static_cast<std::int64_t>(block_);
  const std::size_t stride = channels_ * parts_;
  const auto end = first_sample + static_cast<std::int64_t>(numbers.size() / stride);
  std::vector<std::complex<float>> values;
  for (std::int64_t block = first_sample / n - (first_sample % n < 0 ? 1 : 0); block * n < end; ++block)
    for (std::size_t channel = 0; channel < channels_; ++channel) {
      if (!draw(sky, block, channel, values)) continue;
      transform(values);
      for (std::int64_t at = std::max(block * n, first_sample); at < std::min((block + 1) * n, end); ++at) {
        const std::complex<float> value = values[static_cast<std::size_t>(at - block * n)];
        float* const to =
            numbers.data() + static_cast<std::size_t>(at - first_sample) * stride + channel * parts_;
        to[0] += value.real();
        if (parts_ == 2) to[1] += value.imag();
      }
    }
}

/// Draws the spectrum of a block; returns false if it is silent.
bool DispersedNoise::draw(const SkyNoise& sky, std::int64_t block, std::size_t channel,
                          std::vector<std::complex<float>>& spectrum) const {
  const std::size_t bins = delays_s_.size() / channels_;
  const auto n = static_cast<std::int64_t>(block_);
  const auto utc_ns = static_cast<std::int64_t>(std::llround(
      (static_cast<long double>(block) + 0.5L) * static_cast<long double>(n) * 1e9L / sample_hz_));
  spectrum.assign(block_, {});
  bool has_power = false;
  const float scale = 1 / std::sqrt(static_cast<float>(block_));
  for (std::size_t k = 0; k < bins; ++k) {
    const float level = sky.level(utc_ns, delays_s_[channel * bins + k]);
    if (level == 0) continue;
    has_power = true;
    const auto place = static_cast<std::uint64_t>(block * n) + k;
    const std::complex<float> drawn(sky.at(place, channel, 0), sky.at(place, channel, 1));
    // For real samples, positive and negative frequencies carry half of the power each.
    const bool has_mirror = parts_ == 1 && k != 0 && 2 * k != block_;
    const float share = has_mirror ? level * scale * std::numbers::sqrt2_v<float> / 2 : level * scale;
    spectrum[k] = parts_ == 1 && !has_mirror ? std::complex(share * drawn.real()) : share * drawn;
    if (has_mirror) spectrum[block_ - k] = std::conj(spectrum[k]);
  }
  return has_power;
}

/// The inverse transform in place, radix 2, without a scale factor.
void DispersedNoise::transform(std::vector<std::complex<float>>& values) const {
  for (std::size_t i = 1, j = 0; i < block_; ++i) {
    std::size_t bit = block_ / 2;
    for (; (j & bit) != 0; bit /= 2) j ^= bit;
    j |= bit;
    if (i < j) std::swap(values[i], values[j]);
  }
  for (std::size_t half = 1; half < block_; half *= 2)
    for (std::size_t first = 0; first < block_; first += 2 * half)
      for (std::size_t k = 0; k < half; ++k) {
        const std::complex<float> odd = values[first + half + k] * turns_[k * (block_ / 2 / half)];
        values[first + half + k] = values[first + k] - odd;
        values[first + k] += odd;
      }
}

}  // namespace takt::sensors
