/// Tests the contents of synthetic streams. Tones, drifts, pulses and delays are recovered by brute force
/// from the packets' samples, decoded by the formats' readers.

#include "sensors/synthetic/made_signal.hpp"

#include <cmath>
#include <complex>
#include <cstring>
#include <functional>
#include <numbers>

#include <gmock/gmock.h>

#include "sensors/lofar/packet.hpp"
#include "sensors/lofar/synthesis.hpp"
#include "sensors/option_error.hpp"
#include "sensors/vdif/samples.hpp"
#include "sensors/vdif/synthesis.hpp"
#include "tests/sensors/packets/packet_support.hpp"

namespace takt::sensors {
namespace synthetic_made_signal_test {

using namespace std::chrono_literals;
using testing::HasSubstr;
using Series = std::vector<std::complex<double>>;

constexpr std::uint32_t sky_second = 1'656'466'200;

/// Complex samples of each thread.
std::vector<Series> vdif_series(const VdifSynthesisOptions& options, std::size_t packets) {
  VdifSynthesis stream(options);
  const VdifFormat& format = options.format;
  const VdifSamples decoder(format.bits, format.numbers_per_sample());
  std::vector<Series> series(format.threads.size());
  std::vector<float> numbers(format.samples() * format.numbers_per_sample());
  for (std::size_t i = 0; i < packets * format.threads.size(); ++i) {
    const auto packet = stream.next();
    decoder.decode(packet->bytes.subspan(format.packet_bytes() - format.payload_bytes), numbers);
    for (std::size_t k = 0; k < numbers.size(); k += 2)
      series[packet->lane].emplace_back(numbers[k], numbers[k + 1]);
  }
  return series;
}

/// 1 MHz, 16 bits, complex.
VdifSynthesisOptions two_threads() {
  VdifSynthesisOptions options;
  options.format.threads = {0, 1};
  options.format.bits = 16;
  options.format.is_complex = true;
  options.format.payload_bytes = 4000;
  options.format.sample_hz = 1e6;
  options.second = sky_second;
  return options;
}

double power(const Series& series, std::size_t first, std::size_t count) {
  double sum = 0;
  for (std::size_t i = first; i < first + count; ++i) sum += std::norm(series[i]);
  return sum / static_cast<double>(count);
}

/// Returns the frequency of a tone, from the phase between neighbours.
double frequency(const Series& series, std::size_t first, std::size_t count, double rate_hz) {
  std::complex<double> sum;
  for (std::size_t i = first; i + 1 < first + count; ++i) sum += series[i + 1] * std::conj(series[i]);
  return std::arg(sum) / (2 * std::numbers::pi) * rate_hz;
}

/// |sum a(n) conj b(n + lag)| / sum of powers.
double correlation(const Series& a, const Series& b, std::size_t lag) {
  std::complex<double> sum;
  double of_a = 0, of_b = 0;
  for (std::size_t i = 0; i + lag < a.size(); ++i) {
    sum += a[i] * std::conj(b[i + lag]);
    of_a += std::norm(a[i]);
    of_b += std::norm(b[i + lag]);
  }
  return std::abs(sum) / std::sqrt(of_a * of_b);
}

TEST(MadeSignal, a_tone_has_the_configured_drift) {
  VdifSynthesisOptions options = two_threads();
  options.signal = {.noise = 1, .tone_amplitude = 1000, .drift_hz_per_second = 2e6};
  options.tone_hz = 50'000;
  const Series series = vdif_series(options, 60).front();
  ASSERT_EQ(series.size(), 60'000U);
  // In the centre of the pieces: 0.5 and 59.5 ms after the beginning.
  EXPECT_NEAR(frequency(series, 0, 1000, 1e6), 50'000 + 2e6 * 0.5e-3, 50);
  EXPECT_NEAR(frequency(series, 59'000, 1000, 1e6), 50'000 + 2e6 * 59.5e-3, 50);
}

TEST(MadeSignal, a_delay_rotates_a_tone_and_shifts_the_noise_of_the_sky) {
  VdifSynthesisOptions options = two_threads();
  options.signal = {.noise = 1, .tone_amplitude = 1000, .delays = {Time(0), Time(2'500)}};
  options.tone_hz = 30'000;
  std::vector<Series> lanes = vdif_series(options, 10);
  std::complex<double> product;
  for (std::size_t i = 0; i < lanes[0].size(); ++i) product += lanes[1][i] * std::conj(lanes[0][i]);
  EXPECT_NEAR(std::arg(product), -2 * std::numbers::pi * 30'000 * 2.5e-6, 1e-3);

  options.signal = {.noise = 100, .common = 100, .delays = {Time(0), Time(17'000)}};
  lanes = vdif_series(options, 20);
  for (std::size_t lag = 0; lag < 40; ++lag)
    // Half of each power is common; 20,000 samples of the rest average to 0.007.
    EXPECT_NEAR(correlation(lanes[0], lanes[1], lag), lag == 17 ? 0.5 : 0, 0.04) << lag;
}

TEST(MadeSignal, two_stations_with_other_seeds_observe_one_sky_at_any_start) {
  VdifSynthesisOptions one = two_threads(), other = two_threads();
  one.signal = {.noise = 100, .common = 100, .seed = 1};
  other.signal = {.noise = 100, .common = 100, .delays = {Time(5'000), Time(0)}, .seed = 2};
  // A second later than the other one, that is 1000 packets.
  other.second += 1;
  const Series ahead = vdif_series(one, 1010).front(), behind = vdif_series(other, 10).front();
  const Series same(ahead.begin() + 1'000'000, ahead.begin() + 1'010'000);
  EXPECT_NEAR(correlation(same, behind, 5), 0.5, 0.05);
  EXPECT_NEAR(correlation(same, behind, 0), 0, 0.05);
  other.signal.sky_seed = 7;
  EXPECT_NEAR(correlation(same, vdif_series(other, 10).front(), 5), 0, 0.05);
}

TEST(MadeSignal, pulses_have_the_configured_times_and_levels) {
  VdifSynthesisOptions options = two_threads();
  options.signal = {.noise = 100,
                    .pulse_amplitude = 300,
                    .pulse_period = 20ms,
                    .pulse_width = 2ms,
                    .delays = {Time(0), Time(3'000'000)}};
  const std::vector<Series> lanes = vdif_series(options, 60);
  for (std::size_t lane = 0; lane < 2; ++lane)
    for (std::size_t ms = 0; ms < 60; ++ms) {
      // The second is a multiple of the period.
      const bool is_on = (ms + 20 - 3 * lane) % 20 < 2;
      const double expected = 2 * (100.0 * 100 + (is_on ? 300.0 * 300 : 0));
      EXPECT_NEAR(power(lanes[lane], 1000 * ms, 1000) / expected, 1, 0.15) << lane << ' ' << ms;
    }
}

/// Power at a frequency (cycles per sample) in pieces of 100 samples.
std::vector<double> powers_at(const Series& series, double cycles) {
  std::vector<double> powers;
  for (std::size_t first = 0; first + 100 <= series.size(); first += 100) {
    std::complex<double> sum;
    for (std::size_t i = 0; i < 100; ++i)
      sum += series[first + i] *
             std::polar(1.0, -2 * std::numbers::pi * std::fmod(cycles * static_cast<double>(first + i), 1.0));
    powers.push_back(std::norm(sum) / 100);
  }
  return powers;
}

/// Returns the centre of the pulse, in pieces, from the powers of three neighbouring frequencies.
double moment_of_pulse(const Series& series, double cycles) {
  double weight = 0, sum = 0;
  for (const double offset : {-0.012, 0.0, 0.012}) {
    const std::vector<double> powers = powers_at(series, cycles + offset);
    for (std::size_t i = 0; i < powers.size(); ++i)
      if (powers[i] > 20'000) weight += powers[i], sum += powers[i] * (static_cast<double>(i) + 0.5);
  }
  return sum / weight;
}

TEST(MadeSignal, a_sampled_streams_pulses_are_dispersed) {
  for (const bool is_complex : {true, false}) {
    VdifSynthesisOptions options = two_threads();
    options.format.is_complex = is_complex;
    options.format.threads = {0};
    // One pulse in 100 ms; DM 2 at 150 MHz delays it by 368.8 ms, and by 4.9 ms more at 1 MHz below.
    options.signal = {.noise = 10,
                      .pulse_amplitude = 100,
                      .pulse_period = 100ms,
                      .pulse_width = 2ms,
                      .dispersion_measure = 2,
                      .channel_hz = {150e6}};
    const std::size_t parts = is_complex ? 2 : 1;
    VdifSynthesis stream(options);
    const VdifSamples decoder(16, parts);
    Series series;
    std::vector<float> numbers(options.format.samples() * parts);
    while (series.size() < 100'000) {
      const auto packet = stream.next();
      decoder.decode(packet->bytes.subspan(options.format.packet_bytes() - options.format.payload_bytes),
                     numbers);
      for (std::size_t i = 0; i < numbers.size(); i += parts)
        series.emplace_back(numbers[i], is_complex ? numbers[i + 1] : 0);
    }
    for (const double cycles : is_complex ? std::vector{-0.35, -0.1, 0.2, 0.4} : std::vector{0.1, 0.3, 0.4}) {
      const double mhz = 150 + cycles;
      const double delay_ms = 4.148808e6 * 2 / (mhz * mhz);
      const double expected_ms = std::fmod(delay_ms, 100) + 1;
      EXPECT_NEAR(moment_of_pulse(series, cycles) * 0.1, expected_ms, 0.3) << is_complex << ' ' << cycles;
    }
  }
}

TEST(MadeSignal, dispersion_preserves_level_and_whiteness) {
  VdifSynthesisOptions options = two_threads();
  options.signal = {.noise = 0,
                    .common = 100,
                    .dispersion_measure = 20,
                    .channel_hz = {150e6},
                    .delays = {Time(0), Time(9'000)}};
  const std::vector<Series> lanes = vdif_series(options, 40);
  EXPECT_NEAR(power(lanes[0], 0, 40'000) / 20'000, 1, 0.03);
  // 40,000 samples of white noise have a correlation of 0.005.
  for (const std::size_t lag : {1U, 2U, 3U, 9U, 64U})
    EXPECT_NEAR(correlation(lanes[0], lanes[0], lag), 0, 0.015) << lag;
  EXPECT_NEAR(correlation(lanes[0], lanes[1], 9), 1, 0.001);
}

TEST(MadeSignal, dispersion_needs_frequencies_above_the_band) {
  VdifSynthesisOptions options = two_threads();
  options.signal = {.noise = 10, .common = 1, .dispersion_measure = 2};
  EXPECT_THAT([&] { VdifSynthesis stream(options); },
              testing::ThrowsMessage<OptionError>(HasSubstr("expected --frequency")));
  options.signal.channel_hz = {400e3};
  EXPECT_THAT([&] { VdifSynthesis stream(options); },
              testing::ThrowsMessage<OptionError>(HasSubstr("reaches down to 0 Hz")));
  options.signal.channel_hz = {-1};
  EXPECT_THAT([&] { VdifSynthesis stream(options); },
              testing::ThrowsMessage<OptionError>(HasSubstr("expected more than 0")));
}

TEST(MadeSignal, a_stations_pulses_are_dispersed) {
  LofarSynthesisOptions options;
  options.format.beamlets = 20;
  options.format.station = 1;
  options.format.clock_hz = 200'000'000;
  options.format.bits = 16;
  options.format.band = "HBA_110_190";
  for (int beamlet = 0; beamlet < 20; ++beamlet) options.format.subbands.push_back(60 + 20 * beamlet);
  options.noise = 100;
  options.second = sky_second;
  options.sky = {.pulse_amplitude = 800, .pulse_period = 500ms, .pulse_width = 4ms, .dispersion_measure = 1};
  LofarSynthesis stream(options);
  const std::vector<double> centres = lofar_frame_type(options.format).find_axis("beamlet")->coordinates;
  // The time at which power first rises in each beamlet, in packets of 81.92 us.
  std::vector<double> risen(20, -1);
  for (std::size_t packet = 0; packet < 6103; ++packet) {
    const auto next = stream.next();
    for (std::size_t beamlet = 0; beamlet < 20; ++beamlet) {
      double sum = 0;
      for (std::size_t i = 0; i < 64; ++i) {
        std::int16_t value = 0;
        std::memcpy(&value, next->bytes.data() + 16 + (beamlet * 64 + i) * 2, sizeof value);
        sum += static_cast<double>(value) * value;
      }
      if (sum / 64 > 20 * 100.0 * 100 && risen[beamlet] < 0)
        risen[beamlet] = static_cast<double>(packet) * 81.92e-6;
    }
  }
  for (std::size_t beamlet = 0; beamlet < 20; ++beamlet) {
    ASSERT_GT(centres[beamlet], 110e6);
    // 1 / 2.41e-4 s MHz^2 cm^3 / pc, by Taylor and others (1993).
    const double due = 1 / 2.41e-4 / std::pow(centres[beamlet] / 1e6, 2);
    EXPECT_NEAR(risen[beamlet], due, 2.5e-4) << centres[beamlet];
  }
}

TEST(MadeSignal, a_station_delay_rotates_each_beamlet_by_its_frequency) {
  LofarSynthesisOptions options;
  options.format.beamlets = 3;
  options.format.station = 1;
  options.format.bits = 16;
  options.format.band = "HBA_110_190";
  options.format.subbands = {100, 101, 300};
  options.noise = 50;
  options.second = sky_second;
  options.sky = {.common = 500};
  LofarSynthesisOptions late = options;
  late.seed = 2;
  late.sky.delays = {Time(37)};
  LofarSynthesis here(options), there(late);
  const std::vector<double> centres = lofar_frame_type(options.format).find_axis("beamlet")->coordinates;
  std::vector<std::complex<double>> products(3);
  for (std::size_t packet = 0; packet < 300; ++packet) {
    const auto one = here.next(), other = there.next();
    for (std::size_t beamlet = 0; beamlet < 3; ++beamlet)
      for (std::size_t i = 0; i < 64; i += 2) {
        std::int16_t a[2], b[2];
        std::memcpy(a, one->bytes.data() + 16 + (beamlet * 64 + i) * 2, sizeof a);
        std::memcpy(b, other->bytes.data() + 16 + (beamlet * 64 + i) * 2, sizeof b);
        products[beamlet] += std::complex<double>(b[0], b[1]) * std::conj(std::complex<double>(a[0], a[1]));
      }
  }
  for (std::size_t beamlet = 0; beamlet < 3; ++beamlet) {
    const std::complex<double> expected = std::polar(1.0, -2 * std::numbers::pi * centres[beamlet] * 37e-9);
    EXPECT_NEAR(std::arg(products[beamlet] / expected), 0, 0.02);
  }
}

TEST(MadeSignal, invalid_options_are_refused_by_name) {
  const auto error_of = [](const MadeSignal& signal) -> std::string {
    try {
      validate(signal, 2, false);
    } catch (const OptionError& error) {
      return error.option() + ": " + error.what();
    }
    return {};
  };
  EXPECT_EQ(error_of({.noise = 1, .common = 2, .delays = {Time(1)}}), "");
  EXPECT_THAT(error_of({.noise = -1}), HasSubstr("noise: a noise level of -1"));
  EXPECT_THAT(error_of({.common = NAN}), HasSubstr("common: a level of nan"));
  EXPECT_THAT(error_of({.drift_hz_per_second = INFINITY}), HasSubstr("drift: a drift of inf"));
  EXPECT_THAT(error_of({.pulse_amplitude = 1, .pulse_period = 1s, .pulse_width = 1s}),
              HasSubstr("pulse: pulses of 1 s every 1 s are not valid"));
  EXPECT_THAT(error_of({.dispersion_measure = 5}), HasSubstr("dm: dispersed pulses need the frequency"));
  EXPECT_THAT(error_of({.delays = {Time(0), Time(-1)}}), HasSubstr("delay: a delay of -1 ns is not valid"));
  EXPECT_THAT(error_of({.delays = {Time(0), Time(1), Time(2)}}), HasSubstr("3 delays are given for 2 lanes"));
}

}  // namespace synthetic_made_signal_test
}  // namespace takt::sensors
