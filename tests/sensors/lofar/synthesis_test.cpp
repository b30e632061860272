/// Tests that a synthetic station sends valid packets, with the configured noise level and tone.

#include "sensors/lofar/synthesis.hpp"

#include <cmath>
#include <complex>
#include <cstring>
#include <numbers>

#include <gmock/gmock.h>

#include "core/error.hpp"
#include "tests/sensors/packets/packet_support.hpp"

namespace takt::sensors {
namespace {

LofarSynthesisOptions options_for(int bits, std::size_t beamlets, std::uint64_t packets) {
  LofarSynthesisOptions options;
  options.format.bits = bits;
  options.format.beamlets = beamlets;
  options.format.station = 214;
  options.format.band = "HBA_110_190";
  for (std::size_t i = 0; i < beamlets; ++i) options.format.subbands.push_back(static_cast<int>(200 + i));
  options.second = 1656466200;
  options.packets = packets;
  return options;
}

/// Xr Xi Yr Yi ... of every packet, as numbers.
std::vector<std::vector<double>> components_of(const LofarSynthesisOptions& options) {
  LofarSynthesis stream(options);
  std::vector<std::vector<double>> all;
  while (const auto packet = stream.next()) {
    const std::span payload = packet->bytes.subspan(lofar_header_bytes);
    std::vector<double> values;
    for (std::size_t i = 0; i < payload.size(); ++i) {
      if (options.format.bits == 8) {
        values.push_back(static_cast<std::int8_t>(payload[i]));
      } else if (options.format.bits == 16) {
        std::int16_t value = 0;
        std::memcpy(&value, &payload[i], 2);
        values.push_back(value);
        ++i;
      } else {
        std::array<std::byte, 2> wide{};
        widen_nibbles(payload.subspan(i, 1), wide);
        for (const std::byte byte : wide) values.push_back(static_cast<std::int8_t>(byte));
      }
    }
    all.push_back(std::move(values));
  }
  return all;
}

TEST(LofarSynthesis, packets_are_valid_and_contiguous_across_seconds) {
  LofarSynthesisOptions options = options_for(8, 2, 13'000);
  options.format.lanes = 2;
  options.format.subbands.clear();
  LofarSynthesis stream(options);
  std::uint64_t number = 0;
  const std::uint64_t first = absolute_block(options.second, 0, 200'000'000);
  while (const auto packet = stream.next()) {
    LofarHeader header;
    ASSERT_EQ(judge(packet->bytes, options.format, header), LofarVerdict::good);
    ASSERT_EQ(packet->lane, number % 2);
    ASSERT_EQ(header.lane, packet->lane);
    ASSERT_EQ(absolute_block(header.second, header.sequence, 200'000'000), first + number / 2 * 16);
    ++number;
  }
  EXPECT_EQ(number, 26'000u);
}

TEST(LofarSynthesis, noise_has_its_level_with_any_number_of_bits) {
  // Rounding adds 1/12 to the variance; 4 bits clip at 7, which noise of 1.5 never reaches.
  for (const auto& [bits, level] : {std::pair{16, 300.0}, {8, 10.0}, {4, 1.5}}) {
    LofarSynthesisOptions options = options_for(bits, 8, 400);
    options.noise = level;
    double squares = 0;
    double sum = 0;
    double count = 0;
    for (const auto& packet : components_of(options))
      for (const double value : packet) {
        squares += value * value;
        sum += value;
        ++count;
      }
    EXPECT_EQ(count, 400 * 8 * 64);
    EXPECT_NEAR(sum / count / level, 0, 0.02);
    EXPECT_NEAR(std::sqrt(squares / count - 1.0 / 12) / level, 1, 0.02) << bits << " bits";
  }
}

TEST(LofarSynthesis, the_tone_is_in_its_beamlet_at_its_frequency_in_both_polarisations) {
  LofarSynthesisOptions options = options_for(8, 4, 256);
  options.noise = 5;
  // Subband 202 is centred on 100 MHz + 202 * 195312.5 Hz = 139.453125 MHz; 30 kHz above it.
  options.tone = {139.453125e6 + 30e3, 20};
  const TonePlace place = find_tone(options.format, options.tone->frequency_hz);
  EXPECT_EQ(place.beamlet, 2u);
  EXPECT_DOUBLE_EQ(place.centre_hz, 139.453125e6);

  const auto packets = components_of(options);
  const auto amplitude = [&](std::size_t beamlet, std::size_t polarisation, double offset_hz) {
    std::complex<double> sum = 0;
    for (std::size_t n = 0; n < packets.size() * 16; ++n) {
      const double* sample = &packets[n / 16][beamlet * 64 + n % 16 * 4 + polarisation * 2];
      const double phase = -2 * std::numbers::pi * offset_hz * static_cast<double>(n) * 5.12e-6;
      sum += std::complex(sample[0], sample[1]) * std::polar(1.0, phase);
    }
    return std::abs(sum) / static_cast<double>(packets.size() * 16);
  };
  // 4096 samples of noise with a deviation of 5 per component leave 5 sqrt(2 / 4096) = 0.11 on average.
  for (std::size_t polarisation = 0; polarisation < 2; ++polarisation) {
    EXPECT_NEAR(amplitude(2, polarisation, 30e3), 20, 0.5);
    EXPECT_LT(amplitude(2, polarisation, -30e3), 0.6);
    EXPECT_LT(amplitude(2, polarisation, 31e3), 0.6);
    for (const std::size_t other : {0, 1, 3}) EXPECT_LT(amplitude(other, polarisation, 30e3), 0.6);
  }
}

TEST(LofarSynthesis, equal_seeds_yield_equal_packets) {
  const auto some = components_of(options_for(8, 3, 50));
  EXPECT_EQ(components_of(options_for(8, 3, 50)), some);
  LofarSynthesisOptions other = options_for(8, 3, 50);
  other.seed = 2;
  EXPECT_NE(components_of(other), some);
  EXPECT_NE(some[0], some[1]);
}

TEST(LofarSynthesis, a_tone_outside_all_beamlets_is_refused_with_their_range) {
  LofarSynthesisOptions options = options_for(8, 4, 1);
  options.tone = {200e6, 1};
  EXPECT_THAT([&] { validate(options); },
              testing::ThrowsMessage<ConfigError>(testing::HasSubstr("no beamlet holds 200 MHz")));
  options.format.subbands.clear();
  EXPECT_THAT([&] { validate(options); },
              testing::ThrowsMessage<ConfigError>(testing::HasSubstr("a tone needs subbands and a band")));
}

}  // namespace
}  // namespace takt::sensors
