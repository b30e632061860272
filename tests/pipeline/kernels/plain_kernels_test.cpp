/// Tests the output of kernels that compute nothing.

#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include <gmock/gmock.h>

#include "tests/pipeline/kernels/kernel_bench.hpp"

namespace takt::pipeline::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::ThrowsMessage;

class HandsOn : public ::testing::TestWithParam<std::pair<std::string, Written>> {};

TEST_P(HandsOn, its_first_input_unchanged) {
  const auto& [kernel, written] = GetParam();
  const FrameType first = frame_type(ElementType::int16, {{"time", 100}});
  KernelBench bench(kernel, written, {first, frame_type(ElementType::float32, {{"x", 3}})});
  EXPECT_EQ(bench.output_type(), first);
  std::iota(bench.input().as<std::int16_t>().begin(), bench.input().as<std::int16_t>().end(),
            std::int16_t{-50});
  bench.input().header().sequence = 12;
  EXPECT_EQ(bench.process(), Outcome::produced);
  EXPECT_TRUE(std::ranges::equal(bench.input().as<std::int16_t>(), bench.output().as<std::int16_t>()));
  EXPECT_EQ(bench.output().header().sequence, 12U);
}

INSTANTIATE_TEST_SUITE_P(Every, HandsOn,
                         ::testing::Values(std::pair("pass", Written{}),
                                           std::pair("spin", Written{{"time", "1 us"}})),
                         [](const auto& tested) { return tested.param.first; });

TEST(Select, keeps_a_range_of_an_inner_axis) {
  FrameType type = frame_type(ElementType::int8, {{"time", 2}, {"channel", 4}, {"polarisation", 2}});
  type.axes[1].coordinates = {10, 20, 30, 40};
  KernelBench bench("select", {{"axis", "channel"}, {"first", "1"}, {"count", "2"}}, {type});
  EXPECT_EQ(bench.output_type().to_string(), "int8[time=2][channel=2][polarisation=2]");
  EXPECT_THAT(bench.output_type().axes[1].coordinates, ElementsAre(20, 30));
  const auto in = bench.input().as<std::int8_t>();
  std::iota(in.begin(), in.end(), std::int8_t{0});
  bench.process();
  EXPECT_THAT(bench.output().as<std::int8_t>(), ElementsAre(2, 3, 4, 5, 10, 11, 12, 13));
}

TEST(Select, refuses_an_unknown_axis_or_range) {
  const FrameType type = frame_type(ElementType::float32, {{"time", 2}, {"channel", 4}});
  EXPECT_THAT(
      [&] {
        KernelBench("select", {{"axis", "chanel"}, {"count", "1"}}, {type});
      },
      ThrowsMessage<ConfigError>(
          HasSubstr("unknown axis 'chanel'; did you mean 'channel'? (known: time channel)")));
  EXPECT_THAT(
      [&] {
        KernelBench("select", {{"axis", "channel"}, {"first", "2"}, {"count", "3"}}, {type});
      },
      ThrowsMessage<ConfigError>(HasSubstr("3 from index 2 exceed axis 'channel' of float32")));
}

/// Frame k contains 10 k + channel; one row of a frame and the whole last frame are missing.
TEST(Fill, replaces_missing_values_by_the_last_ones_and_counts_them) {
  for (const std::string flags : {"zero", "hold"}) {
    KernelBench bench("fill", {{"flags", flags}}, {spectra(2, 3)});
    std::vector<float> got;
    for (std::uint64_t k = 1; k <= 3; ++k) {
      const auto values = bench.input().as<float>();
      for (std::size_t i = 0; i < 6; ++i)
        values[i] = k == 3 || (k == 2 && i < 3) ? std::numeric_limits<float>::quiet_NaN()
                                                : static_cast<float>(10 * k + i % 3);
      bench.input().header() = {.sequence = k, .parts = 2, .missing_parts = k == 1 ? 0U : 1U};
      bench.transfer_state();
      ASSERT_EQ(bench.process(), Outcome::produced);
      EXPECT_EQ(bench.output().header().missing_parts, 0U);
      EXPECT_EQ(bench.output_type().side.front().name, "masked");
      EXPECT_EQ(bench.output().header().side[0], k == 1 ? 0 : k == 2 ? 0.5 : 1);
      const auto filled = bench.output().as<float>();
      got.insert(got.end(), filled.begin(), filled.end());
    }
    if (flags == "hold")
      EXPECT_THAT(got, ElementsAre(10, 11, 12, 10, 11, 12, 10, 11, 12, 20, 21, 22, 20, 21, 22, 20, 21, 22));
    else
      EXPECT_THAT(got, ElementsAre(10, 11, 12, 10, 11, 12, 0, 0, 0, 20, 21, 22, 0, 0, 0, 0, 0, 0));
  }
}

/// Compared with each integer; flagged values are NaN.
TEST(Unpack, converts_every_kind_of_integer) {
  FrameType type = frame_type(ElementType::int16, {{"packet", 2}, {"channel", 2}, {"time", 3}});
  type.parts = {2, 2};
  KernelBench bench("unpack", {{"offset", "-2"}, {"scale", "0.5"}}, {type});
  EXPECT_EQ(bench.output_type().to_string(), "float32[packet=2][channel=2][time=3]");
  EXPECT_TRUE(bench.output_type().parts.empty());
  for (int i = 0; i < 12; ++i)
    bench.input().as<std::int16_t>()[static_cast<std::size_t>(i)] = static_cast<std::int16_t>(-300 * i);
  const std::span<std::byte> flags = bench.input().buffer().bytes.subspan(24);
  for (const std::uint32_t missing : {0U, 1U}) {
    // The flags of a complete frame have no meaning.
    std::ranges::copy(std::array{std::byte{0}, std::byte{1}, std::byte{0}, std::byte{0}}, flags.begin());
    bench.input().header() = {.parts = 4, .missing_parts = missing};
    ASSERT_EQ(bench.process(), Outcome::produced);
    for (int i = 0; i < 12; ++i) {
      const float got = bench.output().as<float>()[static_cast<std::size_t>(i)];
      if (missing > 0 && i >= 3 && i < 6)
        EXPECT_TRUE(std::isnan(got)) << i;
      else
        EXPECT_EQ(got, (static_cast<float>(-300 * i) + 2) * 0.5F) << i;
    }
    EXPECT_EQ(bench.output().header().missing_parts, missing);
  }
  const auto first = [](ElementType element, std::initializer_list<unsigned char> bytes) {
    KernelBench one("unpack", {}, {frame_type(element, {{"time", 1}})});
    std::ranges::transform(bytes, one.input().buffer().bytes.begin(),
                           [](unsigned char x) { return std::byte{x}; });
    EXPECT_EQ(one.process(), Outcome::produced);
    const std::span<const float> got = one.output().as<float>();
    return std::vector<float>(got.begin(), got.end());
  };
  EXPECT_THAT(first(ElementType::int8, {0x80}), ElementsAre(-128));
  EXPECT_THAT(first(ElementType::uint8, {0x80}), ElementsAre(128));
  EXPECT_THAT(first(ElementType::int32, {0xff, 0xff, 0xff, 0xff}), ElementsAre(-1));
  EXPECT_THAT(first(ElementType::complex_int8, {0x7f, 0xff}), ElementsAre(127, -1));
  EXPECT_THAT(first(ElementType::complex_int16, {0x00, 0x80, 0x01, 0x00}), ElementsAre(-32768, 1));
  EXPECT_THAT(first(ElementType::uint16, {0x01, 0x80}), ElementsAre(32769));
  // Half of the range of complex unsigned integers represents 0.
  EXPECT_THAT(first(ElementType::complex_uint8, {0x80, 0xff}), ElementsAre(0, 127));
  EXPECT_THAT(first(ElementType::complex_uint16, {0x00, 0x80, 0x00, 0x00}), ElementsAre(0, -32768));
  KernelBench chosen("unpack", {{"offset", "127.5"}},
                     {frame_type(ElementType::complex_uint8, {{"time", 1}})});
  std::ranges::fill(chosen.input().buffer().bytes, std::byte{0x80});
  EXPECT_EQ(chosen.process(), Outcome::produced);
  EXPECT_EQ(chosen.output().as<float>()[0], 0.5F);
  EXPECT_THAT(first(ElementType::float64, {0, 0, 0, 0, 0, 0, 0xf8, 0x3f}), ElementsAre(1.5F));
  EXPECT_THAT([] { KernelBench("unpack", {}, {spectra(2, 2)}); },
              ThrowsMessage<ConfigError>(HasSubstr("which kernels accept directly")));
}

TEST(Integers, are_refused_with_the_kernel_that_converts_them) {
  const auto refusal = [](const std::string& kernel, const Written& written, ElementType element) {
    try {
      KernelBench(kernel, written, {frame_type(element, {{"time", 8}, {"channel", 2}})});
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
    return std::string("taken");
  };
  const Written seconds{{"short", "1 s"}, {"long", "2 s"}};
  for (const auto& [kernel, written] : {std::pair("sta_lta", seconds), {"bandpass", {}}, {"quantise", {}}}) {
    EXPECT_THAT(refusal(kernel, written, ElementType::int16),
                HasSubstr(": put {kernel: unpack} in front of it"));
    EXPECT_THAT(refusal(kernel, written, ElementType::complex_int8),
                AllOf(HasSubstr("expected float32"), Not(HasSubstr("or complex_float32")),
                      HasSubstr("put {kernel: unpack} in front of it, followed by {kernel: stokes}")));
    EXPECT_THAT(refusal(kernel, written, ElementType::complex_float32),
                HasSubstr("got complex_float32[time=8]"));
  }
  FrameType flagged = frame_type(ElementType::int8, {{"time", 8}, {"channel", 2}});
  flagged.parts = {2};
  EXPECT_THAT(([&] {
                KernelBench("transpose", {{"axes", "[channel, time]"}}, {flagged});
              }),
              ThrowsMessage<ConfigError>(HasSubstr("put {kernel: unpack} in front of it")));
}

/// Every receiver has noise: a channel without noise is dead, and its kurtosis undefined.
TEST(RfiMask, flags_dead_channels) {
  KernelBench bench("rfi_mask", {{"sigma", "1000"}}, {spectra(4, 3)});
  const std::span<float> values = bench.input().as<float>();
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = i % 3 == 1 ? 0 : static_cast<float>(1 + i % 5);
  ASSERT_EQ(bench.process(), Outcome::produced);
  for (std::size_t i = 0; i < values.size(); ++i)
    EXPECT_EQ(std::isnan(bench.output().as<float>()[i]), i % 3 == 1) << i;
  EXPECT_GT(bench.output().header().missing_parts, 0U);
}

/// Without its mean or relative to its deviation, a single sample has no information.
TEST(FramesOfOneSample, are_refused_by_kernels_that_would_remove_them) {
  const FrameType type = frame_type(ElementType::float32, {{"time", 1}, {"channel", 4}});
  const auto made = [&](const char* kernel) {
    return [&type, kernel] { (void)KernelBench(kernel, {}, {type}); };
  };
  EXPECT_THAT(made("detrend"), ThrowsMessage<ConfigError>(HasSubstr("one sample without its mean is 0")));
  EXPECT_THAT(made("quantise"),
              ThrowsMessage<ConfigError>(HasSubstr("the levels follow the deviation within a frame")));
}

/// A channel that begins with zeros, or with a single sample, would have one code forever.
TEST(Quantise, derives_levels_from_the_first_frame_in_which_a_channel_varies) {
  KernelBench bench("quantise", {{"bits", "8"}},
                    {frame_type(ElementType::float32, {{"time", 4}, {"channel", 1}})});
  const auto code = [&](std::initializer_list<float> values) {
    std::ranges::copy(values, bench.input().as<float>().begin());
    bench.process();
    return bench.output().as<std::uint8_t>()[0];
  };
  const std::uint8_t middle = code({0, 0, 0, 0});
  const std::uint8_t high = code({3, 1, 3, 1});
  EXPECT_GT(high, middle);
  // One deviation above the mean of that frame, then constant: 1 / 0.0308 codes.
  EXPECT_NEAR(high - middle, 1 / 0.0308, 1);
  EXPECT_EQ(code({3, 3, 3, 3}), high);
}

}  // namespace
}  // namespace takt::pipeline::test
