/// Tests that the channeliser computes the formula of its header.

#include <cmath>
#include <complex>
#include <numbers>
#include <random>

#include <gmock/gmock.h>

#include "tests/pipeline/kernels/kernel_bench.hpp"

namespace takt::pipeline::test {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using Complex = std::complex<float>;
using Complex64 = std::complex<double>;

FrameType beamlets(std::size_t beamlet_count, std::size_t samples, std::size_t polarisations = 2) {
  return frame_type(ElementType::complex_float32,
                    {{"beamlet", beamlet_count}, {"time", samples}, {"polarisation", polarisations}});
}

void fill_with_noise(std::span<Complex> values, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  for (Complex& value : values) value = {normal(random), normal(random)};
}

/// Returns the windows of Harris (1978) in their periodic form, whose squares add up to 1.
std::vector<double> window_by_definition(const std::string& name, std::size_t size) {
  std::vector<double> window(size, 1.0);
  double squares = 0;
  for (std::size_t n = 0; n < size; ++n) {
    const double x = 2 * std::numbers::pi * static_cast<double>(n) / static_cast<double>(size);
    if (name == "hann") window[n] = std::pow(std::sin(x / 2), 2);
    if (name == "hamming") window[n] = 0.54 - 0.46 * std::cos(x);
    if (name == "blackman") window[n] = 0.42 - 0.5 * std::cos(x) + 0.08 * std::cos(2 * x);
    squares += window[n] * window[n];
  }
  for (double& value : window) value /= std::sqrt(squares);
  return window;
}

class FftWindows : public ::testing::TestWithParam<std::tuple<std::string, std::size_t>> {};

TEST_P(FftWindows, agree_with_the_sum_in_double_precision) {
  const auto& [window_name, channels] = GetParam();
  constexpr std::size_t beamlet_count = 3, polarisations = 2;
  const std::size_t samples = 4 * channels;
  KernelBench bench("fft", {{"channels", std::to_string(channels)}, {"window", window_name}},
                    {beamlets(beamlet_count, samples)});
  ASSERT_EQ(bench.output_type().to_string(),
            frame_type(ElementType::complex_float32,
                       {{"time", 4}, {"channel", beamlet_count * channels}, {"polarisation", 2}})
                .to_string());
  const auto in = bench.input().as<Complex>();
  fill_with_noise(in, 7);
  ASSERT_EQ(bench.process(), Outcome::produced);

  const std::vector<double> window = window_by_definition(window_name, channels);
  const auto out = bench.output().as<Complex>();
  double largest_error = 0;
  for (std::size_t b = 0; b < beamlet_count; ++b)
    for (std::size_t t = 0; t < 4; ++t)
      for (std::size_t k = 0; k < channels; ++k)
        for (std::size_t p = 0; p < polarisations; ++p) {
          Complex64 expected = 0;
          for (std::size_t n = 0; n < channels; ++n) {
            const double turns = (static_cast<double>(k) - static_cast<double>(channels) / 2) *
                                 static_cast<double>(n) / static_cast<double>(channels);
            const Complex64 sample(in[(b * samples + t * channels + n) * polarisations + p]);
            expected += window[n] * sample * std::polar(1.0, -2 * std::numbers::pi * turns);
          }
          const Complex64 actual(out[((t * beamlet_count + b) * channels + k) * polarisations + p]);
          largest_error = std::max(largest_error, std::abs(actual - expected));
        }
  // Values are of order 1 (noise of variance 2 stays so); single precision has 6e-8, and log2 N steps.
  EXPECT_LT(largest_error, 3e-6);
}

INSTANTIATE_TEST_SUITE_P(Every, FftWindows,
                         ::testing::Combine(::testing::Values("rectangular", "hann", "hamming", "blackman"),
                                            ::testing::Values(2, 12, 64, 250)));

TEST(Fft, puts_a_tone_into_the_channel_of_its_frequency) {
  constexpr std::size_t channels = 16;
  FrameType type = beamlets(2, channels, 1);
  // Two neighbouring LOFAR subbands, 100 and 101, of a 200 MHz clock: 195312.5
  // Hz apart with as many samples/s.
  type.axes[0].coordinates = {100 * 195312.5, 101 * 195312.5};
  for (std::size_t n = 0; n < channels; ++n)
    type.axes[1].coordinates.push_back(static_cast<double>(n) * 5.12e-6);
  KernelBench bench("fft", {{"channels", "16"}}, {type});

  // 3 channels above the centre of the second beamlet.
  const double spacing = 195312.5 / 16, tone = 101 * 195312.5 + 3 * spacing;
  const auto in = bench.input().as<Complex>();
  for (std::size_t n = 0; n < channels; ++n)
    in[channels + n] =
        std::polar(1.0F, static_cast<float>(2 * std::numbers::pi * 3 * static_cast<double>(n) / 16));
  bench.process();

  const std::vector<double>& frequencies = bench.output_type().axes[1].coordinates;
  ASSERT_EQ(frequencies.size(), 2 * channels);
  for (std::size_t c = 0; c < frequencies.size(); ++c) {
    EXPECT_EQ(frequencies[c], 100 * 195312.5 + (static_cast<double>(c) - 8) * spacing);
    // A tone of amplitude 1 has power N with squares that add up to 1: |sum of 16 / sqrt(16)|^2.
    EXPECT_NEAR(std::norm(bench.output().as<Complex>()[c]), frequencies[c] == tone ? 16.0 : 0.0, 1e-4);
  }
}

TEST(Fft, stamps_each_spectrum_with_the_time_of_its_first_sample) {
  FrameType type = beamlets(1, 8);
  type.axes[1].coordinates = {0, 1, 2, 3, 4, 5, 6, 7};
  type.rate_hz = 0.125;
  const KernelBench bench("fft", {{"channels", "4"}}, {type});
  EXPECT_EQ(bench.output_type().axes[0].coordinates, (std::vector<double>{0, 4}));
  EXPECT_EQ(bench.output_type().rate_hz, 0.125);
}

TEST(Fft, derives_channel_frequencies_from_the_frame_rate_without_sample_times) {
  FrameType type = beamlets(1, 8);
  type.axes[0].coordinates = {100e6};
  type.rate_hz = 125;
  const KernelBench bench("fft", {{"channels", "4"}}, {type});
  EXPECT_EQ(bench.output_type().axes[1].coordinates,
            (std::vector<double>{100e6 - 500, 100e6 - 250, 100e6, 100e6 + 250}));
  FrameType series = frame_type(ElementType::complex_float32, {{"time", 4}});
  series.rate_hz = 25;
  EXPECT_EQ(KernelBench("large_fft", {}, {series}).output_type().axes[0].coordinates,
            (std::vector<double>{-50, -25, 0, 25}));
}

TEST(Fft, keeps_the_power_of_the_samples) {
  // Parseval: with a rectangular window of squares 1 / N, the channels' power
  // is the samples' mean power times N.
  KernelBench bench("fft", {{"channels", "64"}}, {beamlets(1, 64, 1)});
  const auto in = bench.input().as<Complex>();
  fill_with_noise(in, 3);
  bench.process();
  double power_in = 0, power_out = 0;
  for (Complex value : in) power_in += std::norm(value);
  for (Complex value : bench.output().as<Complex>()) power_out += std::norm(value);
  EXPECT_NEAR(power_out / power_in, 1, 1e-6);
}

TEST(Fft, outputs_the_same_bits_from_every_kernel_object) {
  KernelBench a("fft", {{"channels", "60"}}, {beamlets(5, 240)}),
      b("fft", {{"channels", "60"}}, {beamlets(5, 240)});
  fill_with_noise(a.input().as<Complex>(), 1);
  fill_with_noise(b.input().as<Complex>(), 1);
  a.process();
  b.process();
  b.process();
  EXPECT_TRUE(std::ranges::equal(a.output().as<Complex>(), b.output().as<Complex>()));
}

/// A plug-in or a product of infinities may write such samples.
TEST(Fft, treats_samples_with_one_missing_part_as_missing) {
  KernelBench bench("fft", {{"channels", "4"}, {"least", "0.5"}}, {beamlets(1, 4, 1)});
  const auto in = bench.input().as<Complex>();
  for (std::size_t n = 0; n < 4; ++n) in[n] = {1, 2};
  in[1] = {1, std::nanf("")};
  in[3] = {std::nanf(""), 2};
  bench.input().header() = {.parts = 4, .missing_parts = 2, .combined = 1};
  bench.process();
  // 1 / sqrt(share) sum over n of w x, w = 1/2, without the two samples that
  // miss a part: the terms n = 0 and 2.
  const Complex expected = std::sqrt(2.0F) * Complex(1, 2);
  EXPECT_NEAR(std::abs(bench.output().as<Complex>()[2] - expected), 0, 1e-6);
}

TEST(Fft, refuses_integers_and_states_the_expected_type) {
  FrameType type = beamlets(2, 64);
  type.element = ElementType::complex_int8;
  EXPECT_THAT(
      [&] {
        KernelBench("fft", {{"channels", "16"}}, {type});
      },
      ThrowsMessage<InputError>("expected complex_float32[beamlet][time][polarisation], got "
                                "complex_int8[beamlet=2][time=64][polarisation=2]: put {kernel: unpack} in "
                                "front of it"));
}

TEST(Fft, refuses_a_number_of_channels_that_does_not_divide_the_samples) {
  EXPECT_THAT(
      [&] {
        KernelBench("fft", {{"channels", "48"}}, {beamlets(2, 64)});
      },
      ThrowsMessage<ConfigError>(
          HasSubstr("task 'x': parameter 'channels': 48 does not divide the 64 time samples of a frame")));
  EXPECT_THAT(
      [&] {
        KernelBench("fft", {{"channels", "15"}}, {beamlets(2, 60)});
      },
      ThrowsMessage<ConfigError>(HasSubstr("15 is odd")));
}

}  // namespace
}  // namespace takt::pipeline::test
