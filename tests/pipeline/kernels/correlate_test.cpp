/// Tests that visibilities average the values that are present, whatever is missing.

#include <cmath>
#include <complex>
#include <limits>
#include <random>

#include <gmock/gmock.h>

#include "tests/pipeline/kernels/kernel_bench.hpp"

namespace takt::pipeline::test {
namespace {

using Complex = std::complex<float>;
using Complex64 = std::complex<double>;

constexpr std::size_t inputs = 3, frames = 4, times = 6, channels = 5, feeds = 2;
constexpr float missing = std::numeric_limits<float>::quiet_NaN();

/// Fills a frame with spectra that are complete, have single missing values, or are missing.
void fill(FrameMemory& frame, std::mt19937& random) {
  std::normal_distribution<float> normal;
  const auto values = frame.as<Complex>();
  frame.header().missing_parts = 0;
  for (std::size_t t = 0; t < times; ++t) {
    const auto kind = random() % 3;
    for (std::size_t i = 0; i < channels * feeds; ++i) {
      const bool is_missing = kind == 2 || (kind == 1 && random() % 4 == 0);
      values[t * channels * feeds + i] =
          is_missing ? Complex(missing, missing) : Complex(normal(random), normal(random));
      if (is_missing) frame.header().missing_parts = 1;
    }
  }
}

/// Sums and their counts, by baseline, channel and product.
struct Expected {
  std::vector<Complex64> sums = std::vector<Complex64>(6 * channels * feeds * feeds);
  std::vector<double> counts = std::vector<double>(sums.size());

  void add(KernelBench& bench) {
    std::size_t at = 0;
    for (std::size_t i = 0; i < inputs; ++i)
      for (std::size_t j = i; j < inputs; ++j)
        for (std::size_t c = 0; c < channels; ++c)
          for (std::size_t p = 0; p < feeds; ++p)
            for (std::size_t q = 0; q < feeds; ++q, ++at)
              for (std::size_t t = 0; t < times; ++t) {
                const std::size_t row = (t * channels + c) * feeds;
                const Complex64 x(bench.input(i).as<Complex>()[row + p]),
                    y(bench.input(j).as<Complex>()[row + q]);
                if (std::isnan(x.real()) || std::isnan(y.real())) continue;
                sums[at] += x * std::conj(y);
                ++counts[at];
              }
  }
};

TEST(Correlate, is_the_mean_of_present_values) {
  const FrameType type = frame_type(ElementType::complex_float32,
                                    {{"time", times}, {"channel", channels}, {"polarisation", feeds}});
  std::mt19937 random(7);
  std::size_t gone = 0;
  for (int round = 0; round < 20; ++round) {
    KernelBench bench("correlate", {{"frames", std::to_string(frames)}}, {type, type, type});
    Expected expected;
    for (std::size_t frame = 0; frame < frames; ++frame) {
      for (std::size_t i = 0; i < inputs; ++i) {
        fill(bench.input(i), random);
        bench.input(i).header().sequence = frame;
      }
      expected.add(bench);
      ASSERT_EQ(bench.process(), frame + 1 < frames ? Outcome::absorbed : Outcome::produced);
      // A replacement kernel loads the partial sums.
      if (frame == 1) bench.transfer_state();
    }
    const auto given = bench.output().as<Complex>();
    ASSERT_EQ(given.size(), expected.sums.size());
    for (std::size_t at = 0; at < given.size(); ++at) {
      if (expected.counts[at] == 0) {
        EXPECT_TRUE(std::isnan(given[at].real()));
        ++gone;
        continue;
      }
      const Complex64 mean = expected.sums[at] / expected.counts[at];
      EXPECT_NEAR(given[at].real(), mean.real(), 1e-5);
      EXPECT_NEAR(given[at].imag(), mean.imag(), 1e-5);
    }
  }
  EXPECT_LT(gone, 20U);
}

}  // namespace
}  // namespace takt::pipeline::test
