/// Compares rows with plain sums over the whole frame.

#include "sensors/frames/row_sampler.hpp"

#include <cmath>
#include <complex>
#include <cstring>
#include <numbers>

#include <gtest/gtest.h>

#include "core/random.hpp"

namespace takt::sensors {
namespace {

std::vector<float> row_of(const RowSampler& sampler, const std::vector<float>& frame) {
  std::vector<std::byte> sample(sampler.sample_bytes());
  sampler.sample(std::as_bytes(std::span(frame)), sample);
  return sampler.row(sample);
}

double unit_random(Random& random) {
  return static_cast<double>(random.below(2'000'001)) / 1e6 - 1;
}

TEST(RowSampler, returns_the_mean_of_each_channel_without_missing_values) {
  Random random(1);
  const FrameType type{ElementType::float32, {{"time", 7, {}}, {"channel", 40, {}}, {"stokes", 2, {}}}, 10};
  const RowSampler sampler(type);
  std::vector<float> frame(7 * 40 * 2);
  for (float& value : frame)
    value = random.below(5) == 0 ? std::nanf("") : static_cast<float>(unit_random(random));
  for (std::size_t t = 0; t < 7; ++t) frame[(t * 40 + 3) * 2] = frame[(t * 40 + 3) * 2 + 1] = std::nanf("");
  const std::vector<float> row = row_of(sampler, frame);
  ASSERT_EQ(row.size(), 40U);
  for (std::size_t c = 0; c < 40; ++c) {
    double sum = 0, count = 0;
    for (std::size_t t = 0; t < 7; ++t)
      for (std::size_t s = 0; s < 2; ++s)
        if (const float value = frame[(t * 40 + c) * 2 + s]; !std::isnan(value)) {
          sum += value;
          ++count;
        }
    if (c == 3)
      EXPECT_TRUE(std::isnan(row[c]));
    else
      EXPECT_NEAR(row[c], sum / count, 1e-6);
  }
  EXPECT_EQ(sampler.name(), "channel");
  EXPECT_EQ(sampler.last(), 39);
}

TEST(RowSampler, returns_the_power_of_complex_channels_at_their_frequencies) {
  Axis channels{"channel", 4, {}};
  for (int i = 0; i < 4; ++i) channels.coordinates.push_back(1e6 + i * 1e3);
  const RowSampler sampler({ElementType::complex_float32, {channels}, 10});
  EXPECT_EQ(row_of(sampler, {1, 0, 0, 2, 3, 4, 0, 0}), (std::vector<float>{1, 4, 25, 0}));
  EXPECT_EQ(sampler.unit(), "Hz");
  EXPECT_EQ(sampler.first(), 1e6);
  EXPECT_EQ(sampler.last(), 1.003e6);
}

TEST(RowSampler, places_the_columns_of_two_bands_at_their_frequencies) {
  for (const std::size_t of_band : {4U, 1024U}) {
    Axis channels{"channel", 2 * of_band, {}};
    for (const double band : {38e6, 74e6})
      for (std::size_t i = 0; i < of_band; ++i)
        channels.coordinates.push_back(band + static_cast<double>(i) * 1e3);
    const RowSampler sampler({ElementType::float32, {channels}, 10});
    const std::vector<double>& places = sampler.places();
    const std::size_t columns = std::min<std::size_t>(2 * of_band, RowSampler::most_columns);
    const auto channels_of_column = static_cast<double>(2 * of_band / columns);
    ASSERT_EQ(places.size(), columns);
    EXPECT_EQ(sampler.places_unit(), "Hz");
    const double middle = (channels_of_column - 1) / 2 * 1e3;
    for (std::size_t c = 0; c < columns; ++c) {
      const double band = c < columns / 2 ? 38e6 : 74e6;
      const auto in_band = static_cast<double>(c % (columns / 2));
      EXPECT_DOUBLE_EQ(places[c], band + in_band * channels_of_column * 1e3 + middle) << c;
    }
    // A picture with equal columns numbers them: no frequency would be correct.
    EXPECT_EQ(sampler.unit(), "");
    EXPECT_EQ(sampler.first(), (channels_of_column - 1) / 2);
    EXPECT_EQ(sampler.last(), static_cast<double>(2 * of_band - 1) - (channels_of_column - 1) / 2);
  }
}

/// Returns the power at one frequency of a piece, by the definition of the DFT.
double power_at(const std::vector<std::complex<double>>& piece, double cycles) {
  const auto count = static_cast<double>(piece.size());
  std::complex<double> sum = 0;
  double window_power = 0;
  for (std::size_t n = 0; n < piece.size(); ++n) {
    const double at = static_cast<double>(n) / count;
    const double window = 0.5 - 0.5 * std::cos(2 * std::numbers::pi * at);
    sum += window * piece[n] * std::polar(1.0, -2 * std::numbers::pi * cycles * at);
    window_power += window * window;
  }
  return std::norm(sum) / window_power;
}

TEST(RowSampler, returns_the_spectrum_of_time_samples) {
  Random random(2);
  for (const bool is_complex : {false, true}) {
    const std::size_t samples = 128;
    const FrameType type{is_complex ? ElementType::complex_float32 : ElementType::float32,
                         {{"time", samples, {}}, {"polarisation", 2, {}}},
                         50};
    const RowSampler sampler(type);
    std::vector<float> frame(samples * 2 * (is_complex ? 2 : 1));
    for (float& value : frame) value = static_cast<float>(unit_random(random));
    const std::vector<float> row = row_of(sampler, frame);
    ASSERT_EQ(row.size(), is_complex ? samples : samples / 2);
    EXPECT_EQ(sampler.unit(), "Hz");
    // 50 frames/s of 128 samples.
    EXPECT_DOUBLE_EQ(sampler.last(), (64 - 1) * 50.0);
    EXPECT_DOUBLE_EQ(sampler.first(), is_complex ? -3200.0 : 0.0);
    for (std::size_t b = 0; b < row.size(); ++b) {
      double mean = 0;
      for (std::size_t p = 0; p < 2; ++p) {
        std::vector<std::complex<double>> piece;
        for (std::size_t n = 0; n < samples; ++n)
          piece.push_back(is_complex
                              ? std::complex<double>(frame[(n * 2 + p) * 2], frame[(n * 2 + p) * 2 + 1])
                              : std::complex<double>(frame[n * 2 + p]));
        mean += power_at(piece, static_cast<double>(b) - (is_complex ? 64 : 0)) / 2;
      }
      EXPECT_NEAR(row[b], mean, 1e-5 * (1 + mean)) << b;
    }
  }
}

TEST(RowSampler, reads_a_bounded_part_of_large_frames) {
  for (const auto& axes : std::vector<std::vector<Axis>>{{{"time", 100'000, {}}, {"channel", 4096, {}}},
                                                         {{"channel", 5'000'000, {}}},
                                                         {{"beamlet", 500, {}}, {"time", 10'000, {}}},
                                                         {{"time", 9, {}}, {"station", 300'000, {}}},
                                                         {{"thing", 10'000'000, {}}},
                                                         {{"thing", 1, {}}}}) {
    const FrameType type{ElementType::uint8, axes, 0};
    const RowSampler sampler(type);
    EXPECT_LE(sampler.sample_bytes(), 2 * RowSampler::most_elements);
    EXPECT_GT(sampler.sample_bytes(), 0U);
    // All bytes that it reads lie in the frame.
    std::vector<std::byte> frame(type.data_size().count, std::byte{7}), sample(sampler.sample_bytes());
    sampler.sample(frame, sample);
    EXPECT_EQ(sample, std::vector<std::byte>(sample.size(), std::byte{7}));
    EXPECT_LE(sampler.row(sample).size(), RowSampler::most_columns);
  }
}

}  // namespace
}  // namespace takt::sensors
