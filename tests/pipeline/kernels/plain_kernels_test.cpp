/// Do the kernels that compute nothing hand on what they should?

#include <numeric>

#include <gmock/gmock.h>

#include "tests/pipeline/kernels/kernel_bench.hpp"

namespace takt::pipeline::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
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

TEST(Select, refuses_an_axis_or_range_that_is_not_there) {
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
      ThrowsMessage<ConfigError>(HasSubstr("3 from index 2 on are more than axis 'channel' has in float32")));
}

}  // namespace
}  // namespace takt::pipeline::test
