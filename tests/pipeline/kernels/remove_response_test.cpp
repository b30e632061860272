/// Tests that the motion of the ground is recovered from the output of a seismometer.

#include <cmath>
#include <complex>
#include <numbers>

#include <gmock/gmock.h>

#include "tests/pipeline/kernels/kernel_bench.hpp"

namespace takt::pipeline::test {
namespace {

using ::testing::HasSubstr;

constexpr double seismic_rate = 50;
constexpr std::size_t seismic_rows = 200;

FrameType seismic_trace() {
  FrameType type = frame_type(ElementType::float32, {{"time", seismic_rows}});
  type.rate_hz = seismic_rate / seismic_rows;
  type.unit = "counts";
  return type;
}

/// A pendulum of 0.5 Hz, damped at 0.7 of the critical damping, in counts per m/s. Its poles are -w (h +- i
/// sqrt(1 - h^2)), w = 2 pi 0.5 Hz.
constexpr double resonance_hz = 0.5, damping = 0.7, counts_by_velocity = 4e8;
Written pendulum(Written own) {
  own.insert(own.end(), {{"poles", "[-2.19911486:2.24354591, -2.19911486:-2.24354591]"},
                         {"zeros", "[0:0, 0:0]"},
                         {"sensitivity", "4e8"}});
  return own;
}

/// Solves the equation of motion: x'' + 2 h w x' + w^2 x = -u'', and a coil whose voltage is -x'.
std::complex<double> counts_by(double hertz) {
  const double own = 2 * std::numbers::pi * resonance_hz, w = 2 * std::numbers::pi * hertz;
  return counts_by_velocity * -w * w / (own * own - w * w + std::complex<double>(0, 2 * damping * own * w));
}

/// Returns the largest error of the kernel's output relative to the ground motion: 1 um at two frequencies
/// inside the band and at one outside of it.
double worst_error(const std::string& gives, int derivatives, std::size_t frames) {
  KernelBench bench("remove_response", pendulum({{"band", "[0.1, 0.3, 8, 12]"}, {"gives", gives}}),
                    {seismic_trace()});
  double worst = 0, scale = 0;
  std::size_t compared = 0;
  for (std::size_t k = 0; k < frames; ++k) {
    const auto start_ns = static_cast<std::int64_t>(k * seismic_rows) * 20'000'000;
    bench.input().header() = {.sequence = k, .utc_ns = start_ns, .parts = 1, .combined = 1};
    const auto at = [&](double seconds, double hertz, std::complex<double> factor) {
      const double phase = 2 * std::numbers::pi * hertz * seconds;
      return (factor * std::polar(1e-6, phase)).real();
    };
    for (std::size_t n = 0; n < seismic_rows; ++n) {
      const double seconds = static_cast<double>(k * seismic_rows + n) / seismic_rate;
      double value = 0;
      for (const double hertz : {0.45, 5.0, 18.0}) value += at(seconds, hertz, counts_by(hertz));
      bench.input().as<float>()[n] = static_cast<float>(value);
    }
    EXPECT_EQ(bench.process(), Outcome::produced);
    for (std::size_t n = 0; n < seismic_rows; ++n) {
      const double value = bench.output().as<float>()[n];
      if (std::isnan(value)) continue;
      const double seconds =
          static_cast<double>(bench.output().header().utc_ns) * 1e-9 + static_cast<double>(n) / seismic_rate;
      double expected = 0;
      for (const double hertz : {0.45, 5.0})
        expected +=
            at(seconds, hertz, std::pow(std::complex<double>(0, 2 * std::numbers::pi * hertz), derivatives));
      worst = std::max(worst, std::abs(value - expected));
      scale = std::max(scale, std::abs(expected));
      ++compared;
    }
  }
  // 4 periods of 0.2 Hz to each side at 50 samples/s: the first 2000 samples are missing.
  EXPECT_EQ(compared, frames * seismic_rows - 2000);
  return worst / scale;
}

TEST(RemoveResponse, outputs_the_motion_of_the_ground_at_its_time) {
  EXPECT_LT(worst_error("velocity", 0, 20), 2e-3);
  EXPECT_LT(worst_error("displacement", -1, 20), 2e-3);
  EXPECT_LT(worst_error("acceleration", 1, 20), 2e-3);
}

TEST(RemoveResponse, declares_the_unit_of_its_output) {
  for (const auto& [gives, unit] :
       {std::pair("displacement", "m"), {"velocity", "m/s"}, {"acceleration", "m/s^2"}})
    EXPECT_EQ(KernelBench("remove_response", pendulum({{"band", "[1, 2, 8, 12]"}, {"gives", gives}}),
                          {seismic_trace()})
                  .output_type()
                  .unit,
              unit);
}

TEST(RemoveResponse, refuses_impossible_responses) {
  const auto refusal = [](const Written& written) {
    try {
      const KernelBench bench("remove_response", written, {seismic_trace()});
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
    return std::string("taken");
  };
  const Written band{{"band", "[1, 2, 8, 12]"}, {"sensitivity", "100"}};
  const auto with = [&](const char* name, const char* value) {
    Written written = band;
    std::erase_if(written, [&](const auto& each) { return each.first == name; });
    written.emplace_back(name, value);
    return written;
  };
  EXPECT_EQ(refusal(band), "taken");
  EXPECT_THAT(refusal(with("poles", "[-1:2]")), HasSubstr("-1:2 has no conjugate: expected -1:-2 as well"));
  EXPECT_THAT(refusal(with("poles", "[1:0]")), HasSubstr("1:0 is not stable"));
  EXPECT_THAT(refusal(with("zeros", "[-1]")), HasSubstr("'-1' is not valid: expected for example real"));
  EXPECT_THAT(refusal(with("band", "[1, 2, 8]")),
              HasSubstr("parameter 'band': expected four ascending frequencies"));
  EXPECT_THAT(refusal(with("band", "[1, 8, 2, 12]")), HasSubstr("four ascending frequencies"));
  EXPECT_THAT(refusal(with("band", "[1, 2, 8, 30]")),
              HasSubstr("30 Hz ends above half the sample rate, 25 Hz"));
  EXPECT_THAT(refusal(with("band", "[1e-5, 2e-5, 8, 12]")),
              HasSubstr("Hz needs 40000001 taps, more than 262144"));
  EXPECT_THAT(refusal(with("taps", "10")), HasSubstr("10 is even: expected an odd number"));
  EXPECT_THAT(refusal(with("sensitivity", "0")), HasSubstr("the response is 0: expected another value"));
  EXPECT_THAT(refusal(with("gives", "velocities")), HasSubstr("did you mean 'velocity'"));
  EXPECT_THROW(KernelBench("remove_response", band, {frame_type(ElementType::float32, {{"time", 9}})}),
               InputError);
}

}  // namespace
}  // namespace takt::pipeline::test
