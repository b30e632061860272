#include "sensors/synthetic/made_sky.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "sensors/option_error.hpp"
#include "sensors/synthetic/split_mix.hpp"

namespace takt::sensors {

namespace {

/// Size of the table of the sky's noise; a power of two, since a place is drawn for each number.
constexpr std::size_t sky_places = 1 << 16;

void check_level(const char* option, double level) {
  if (!(level >= 0) || !std::isfinite(level))
    throw OptionError(option, fmt::format("a level of {} is not valid: expected counts, 0 or more", level));
}

std::uint64_t mixed(std::uint64_t value) {
  return SplitMix(value).next();
}

}  // namespace

void validate(const MadeSignal& signal, std::size_t lanes, bool has_frequencies) {
  if (!(signal.noise >= 0) || !std::isfinite(signal.noise))
    throw OptionError("noise", fmt::format("a noise level of {} is not valid: expected a standard deviation",
                                           signal.noise));
  check_level("tone", signal.tone_amplitude);
  check_level("common", signal.common);
  check_level("pulse", signal.pulse_amplitude);
  if (!std::isfinite(signal.drift_hz_per_second))
    throw OptionError("drift", fmt::format("a drift of {} is not valid", signal.drift_hz_per_second));
  if (signal.pulse_amplitude > 0 &&
      (signal.pulse_width <= Time(0) || signal.pulse_width >= signal.pulse_period))
    throw OptionError("pulse",
                      fmt::format("pulses of {} every {} are not valid: expected a width above 0 and "
                                  "below the period",
                                  to_string(signal.pulse_width), to_string(signal.pulse_period)));
  if (!(signal.dispersion_measure >= 0) || !std::isfinite(signal.dispersion_measure))
    throw OptionError("dm", fmt::format("a dispersion measure of {} is not valid: expected 0 or more",
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
      throw OptionError(
          "delay", fmt::format("a delay of {} is not valid: expected 0 or more: the first arrival has none",
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

}  // namespace takt::sensors
