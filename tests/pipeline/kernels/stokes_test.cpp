/// Tests that Stokes parameters agree with their definition.

#include <complex>
#include <random>

#include <gmock/gmock.h>

#include "tests/pipeline/kernels/kernel_bench.hpp"

namespace takt::pipeline::test {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatEq;
using ::testing::ThrowsMessage;
using Complex = std::complex<float>;

FrameType voltages(std::size_t times, std::size_t channels) {
  return frame_type(ElementType::complex_float32,
                    {{"time", times}, {"channel", channels}, {"polarisation", 2}});
}

/// Returns I, Q, U, V of one pair of voltages.
std::vector<float> stokes_of(Complex x, Complex y) {
  KernelBench bench("stokes", {{"mode", "IQUV"}}, {voltages(1, 1)});
  bench.input().as<Complex>()[0] = x;
  bench.input().as<Complex>()[1] = y;
  bench.process();
  const auto out = bench.output().as<float>();
  return {out.begin(), out.end()};
}

TEST(Stokes, distinguishes_the_pure_polarisations) {
  const Complex i(0, 1);
  EXPECT_THAT(stokes_of(1, 0), ElementsAre(1, 1, 0, 0));
  EXPECT_THAT(stokes_of(0, 1), ElementsAre(1, -1, 0, 0));
  EXPECT_THAT(stokes_of(1, 1), ElementsAre(2, 0, 2, 0));
  EXPECT_THAT(stokes_of(1, -1), ElementsAre(2, 0, -2, 0));
  // V = 2 Im(X Y*): positive when X leads Y by a quarter of a cycle.
  EXPECT_THAT(stokes_of(i, 1), ElementsAre(2, 0, 0, 2));
  EXPECT_THAT(stokes_of(1, i), ElementsAre(2, 0, 0, -2));
}

TEST(Stokes, agrees_with_complex_arithmetic_for_every_time_and_channel) {
  constexpr std::size_t times = 3, channels = 37;
  KernelBench full("stokes", {{"mode", "IQUV"}}, {voltages(times, channels)});
  KernelBench power("stokes", {}, {voltages(times, channels)});
  std::mt19937 random(5);
  std::normal_distribution<float> normal;
  for (std::size_t i = 0; i < full.input().as<Complex>().size(); ++i)
    full.input().as<Complex>()[i] = power.input().as<Complex>()[i] = {normal(random), normal(random)};
  full.process();
  power.process();
  EXPECT_EQ(full.output_type().to_string(), "float32[time=3][stokes=4][channel=37]");
  EXPECT_EQ(power.output_type().to_string(), "float32[time=3][channel=37]");

  using Complex64 = std::complex<double>;
  for (std::size_t t = 0; t < times; ++t)
    for (std::size_t c = 0; c < channels; ++c) {
      const Complex64 x(full.input().as<Complex>()[2 * (t * channels + c)]);
      const Complex64 y(full.input().as<Complex>()[2 * (t * channels + c) + 1]);
      const auto parameter = [&](std::size_t s) {
        return full.output().as<float>()[(t * 4 + s) * channels + c];
      };
      const double total = std::norm(x) + std::norm(y);
      EXPECT_NEAR(parameter(0), total, 1e-6 * total);
      EXPECT_NEAR(parameter(1), std::norm(x) - std::norm(y), 1e-6 * total);
      EXPECT_NEAR(parameter(2), 2 * (x * std::conj(y)).real(), 1e-6 * total);
      EXPECT_NEAR(parameter(3), 2 * (x * std::conj(y)).imag(), 1e-6 * total);
      EXPECT_THAT(power.output().as<float>()[t * channels + c], FloatEq(parameter(0)));
    }
}

TEST(Stokes, squares_the_unit) {
  FrameType type = voltages(1, 1);
  type.unit = "counts";
  EXPECT_EQ(KernelBench("stokes", {}, {type}).output_type().unit, "counts^2");
}

TEST(Stokes, refuses_a_single_polarisation) {
  FrameType type = voltages(2, 4);
  type.axes.back().size = 1;
  EXPECT_THAT([&] { KernelBench("stokes", {}, {type}); },
              ThrowsMessage<InputError>("expected complex_float32[...][polarisation=2], got "
                                        "complex_float32[time=2][channel=4][polarisation=1]"));
}

}  // namespace
}  // namespace takt::pipeline::test
