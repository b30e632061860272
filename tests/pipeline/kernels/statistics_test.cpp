/// Tests that mean, rms and kurtosis agree with their definitions.

#include <cmath>
#include <random>

#include <gmock/gmock.h>

#include "tests/pipeline/kernels/kernel_bench.hpp"

namespace takt::pipeline::test {
namespace {

using ::testing::ThrowsMessage;

TEST(Statistics, agree_with_numbers_computed_by_hand) {
  // 1, 2, 3, 6: mean 3, mean square 50 / 4, deviations -2 -1 0 3, squares 4 1 0 9 (sum 14), fourths 16 1 0 81
  // (98): kurtosis (98 / 4) / (14 / 4)^2 = 2.
  KernelBench bench("statistics", {}, {spectra(4, 1)});
  std::ranges::copy(std::vector<float>{1, 2, 3, 6}, bench.input().as<float>().begin());
  bench.process();
  EXPECT_EQ(bench.output_type().to_string(), "float32[statistic=3][channel=1]");
  const auto out = bench.output().as<float>();
  EXPECT_FLOAT_EQ(out[0], 3);
  EXPECT_FLOAT_EQ(out[1], std::sqrt(12.5F));
  EXPECT_FLOAT_EQ(out[2], 2);
}

TEST(Statistics, agree_with_moments_about_the_mean_for_any_number_of_channels) {
  // More channels than the kernel processes at a time, and not a multiple of
  // them; a large offset, which costs digits.
  constexpr std::size_t times = 50, channels = 600;
  KernelBench bench("statistics", {}, {spectra(times, channels)});
  std::mt19937 random(11);
  std::exponential_distribution<float> exponential;
  for (float& value : bench.input().as<float>()) value = 1000 + exponential(random);
  bench.process();
  const auto in = bench.input().as<float>(), out = bench.output().as<float>();
  for (std::size_t c = 0; c < channels; ++c) {
    long double mean = 0, square = 0, second = 0, fourth = 0;
    for (std::size_t t = 0; t < times; ++t) mean += in[t * channels + c] / static_cast<long double>(times);
    for (std::size_t t = 0; t < times; ++t) {
      const long double value = in[t * channels + c];
      square += value * value / times;
      second += std::pow(value - mean, 2) / times;
      fourth += std::pow(value - mean, 4) / times;
    }
    EXPECT_FLOAT_EQ(out[c], static_cast<float>(mean));
    EXPECT_FLOAT_EQ(out[channels + c], static_cast<float>(std::sqrt(square)));
    EXPECT_FLOAT_EQ(out[2 * channels + c], static_cast<float>(fourth / (second * second)));
  }
}

TEST(Statistics, of_several_frames_are_those_of_all_their_spectra) {
  // Frames with different means, so that merging matters; one frame of the group is lost.
  constexpr std::size_t times = 8, channels = 5, frames = 4;
  KernelBench bench("statistics", {{"frames", "4"}}, {spectra(times, channels)});
  KernelBench whole("statistics", {}, {spectra(3 * times, channels)});
  std::mt19937 random(2);
  std::normal_distribution<float> normal;
  auto collected = whole.input().as<float>().begin();
  for (std::uint64_t sequence : {4, 5, 7}) {
    bench.input().header() = {.sequence = sequence, .combined = 1};
    for (float& value : bench.input().as<float>())
      *collected++ = value = 1000 + 10 * static_cast<float>(sequence) + normal(random);
    EXPECT_EQ(bench.process(), sequence % frames == frames - 1 ? Outcome::produced : Outcome::absorbed);
  }
  whole.process();
  EXPECT_EQ(bench.output().header().sequence, 1U);
  EXPECT_EQ(bench.output().header().combined, 3U);
  for (std::size_t i = 0; i < 3 * channels; ++i)
    EXPECT_FLOAT_EQ(bench.output().as<float>()[i], whole.output().as<float>()[i]);
}

TEST(Statistics, of_an_unfinished_group_are_produced_at_the_end) {
  KernelBench bench("statistics", {{"frames", "100"}}, {spectra(2, 1)});
  std::ranges::copy(std::vector<float>{1, 3}, bench.input().as<float>().begin());
  EXPECT_EQ(bench.process(), Outcome::absorbed);
  EXPECT_EQ(bench.finish(), Outcome::produced);
  EXPECT_EQ(bench.output().as<float>()[0], 2);
  EXPECT_EQ(bench.output().as<float>()[2], 1);
  EXPECT_EQ(bench.finish(), Outcome::absorbed);
}

TEST(Statistics, have_no_kurtosis_when_nothing_varies) {
  KernelBench bench("statistics", {}, {spectra(3, 1)});
  std::ranges::fill(bench.input().as<float>(), 5.0F);
  bench.process();
  EXPECT_EQ(bench.output().as<float>()[0], 5);
  EXPECT_TRUE(std::isnan(bench.output().as<float>()[2]));
}

TEST(Statistics, refuse_frames_without_time) {
  EXPECT_THAT(
      [] {
        KernelBench("statistics", {}, {frame_type(ElementType::float32, {{"channel", 4}})});
      },
      ThrowsMessage<InputError>("expected float32[time]..., got float32[channel=4]"));
}

}  // namespace
}  // namespace takt::pipeline::test
