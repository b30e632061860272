/// Tests that rfi_mask can keep pulses.

#include <cmath>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "tests/pipeline/kernels/kernel_bench.hpp"

namespace takt::pipeline::test {
namespace kernels_rfi_mask_test {

/// Fills in noise of shape 20, as after an integration of ten Stokes I spectra. A pulse of ten of a hundred
/// rows is ten times as strong in every channel, and the level of one channel changes all the time.
void fill_with_pulse(std::span<float> values, std::size_t channels, std::size_t first_row, std::size_t loud) {
  std::mt19937 random(11);
  std::gamma_distribution<float> noise(20, 0.05F);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t row = i / channels, channel = i % channels;
    const bool is_pulse = row >= first_row + channel && row < first_row + channel + 10;
    values[i] = noise(random) * (is_pulse ? 10 : 1) * (channel == loud && row % 3 == 0 ? 3 : 1);
  }
}

std::set<std::size_t> masked_channels(const char* blocks) {
  constexpr std::size_t rows = 100, channels = 16;
  KernelBench bench("rfi_mask", {{"sigma", "5"}, {"shape", "20"}, {"blocks", blocks}},
                    {frame_type(ElementType::float32, {{"time", rows}, {"channel", channels}})});
  fill_with_pulse(bench.input().as<float>(), channels, 30, 7);
  EXPECT_EQ(bench.process(), Outcome::produced);
  std::set<std::size_t> masked;
  for (std::size_t i = 0; i < rows * channels; ++i)
    if (std::isnan(bench.output().as<float>()[i])) masked.insert(i % channels);
  return masked;
}

TEST(RfiMask, a_bright_pulse_removes_no_channel_with_the_median_of_blocks) {
  EXPECT_EQ(masked_channels("1").size(), 16U);
  EXPECT_EQ(masked_channels("10"), std::set<std::size_t>{7});
}

TEST(RfiMask, blocks_have_at_least_two_spectra) {
  EXPECT_THROW(KernelBench("rfi_mask", {{"blocks", "3"}},
                           {frame_type(ElementType::float32, {{"time", 5}, {"channel", 2}})}),
               ConfigError);
  EXPECT_THROW(KernelBench("rfi_mask", {{"blocks", "2"}, {"method", "median_deviation"}},
                           {frame_type(ElementType::float32, {{"time", 5}, {"channel", 2}})}),
               ConfigError);
}

}  // namespace kernels_rfi_mask_test
}  // namespace takt::pipeline::test
