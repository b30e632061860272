/// Tests kernels with memory after a lost frame: they still have the samples before it. A lost frame and a
/// frame without any present value have the same effect.

#include <cmath>
#include <map>
#include <optional>
#include <vector>

#include <gmock/gmock.h>

#include "tests/pipeline/kernels/kernel_bench.hpp"

namespace takt::pipeline::test {
namespace kernels_lost_frames_test {

constexpr std::size_t rows = 4, frames = 12, lost_one = 5;
const float nan = std::nanf("");

FrameType with_rate(FrameType type) {
  type.rate_hz = 1;
  return type;
}

/// Returns a type of four samples per frame and one frame per second.
FrameType series() {
  return with_rate(frame_type(ElementType::float32, {{"time", rows}, {"channel", 3}}));
}

/// Returns a type whose frequencies have delays of 10 samples at a DM of 155.
FrameType band() {
  FrameType type = series();
  type.axes[1].coordinates = {100e6, 101e6, 102e6};
  return type;
}

FrameType voltage() {
  return with_rate(frame_type(ElementType::float32, {{"beamlet", 3}, {"time", rows}, {"polarisation", 1}}));
}

/// A kernel whose memory exceeds two frames.
struct Remembering {
  std::string name;
  Written parameters;
  FrameType type;
};

std::vector<Remembering> remembering() {
  return {{"align", {{"samples", "10"}}, series()},
          {"delay", {{"delay", "2.625 s"}, {"taps", "4"}}, voltage()},
          {"dedisperse", {{"step", "77.5"}, {"trials", "3"}}, band()},
          {"dedisperse", {{"step", "77.5"}, {"trials", "3"}, {"least", "1"}}, band()},
          {"matched_filter", {{"widths", "[1, 10]"}}, series()},
          {"matched_filter", {{"widths", "[1, 10]"}, {"least", "0.5"}}, series()}};
}

/// Returns the output of each frame by number, when successive frames are lost or entirely missing.
std::map<std::uint64_t, std::vector<float>> results(const Remembering& kernel, std::size_t gone,
                                                    bool is_lost) {
  KernelBench bench(kernel.name, kernel.parameters, {kernel.type});
  std::map<std::uint64_t, std::vector<float>> all;
  for (std::size_t number = 0; number < frames; ++number) {
    const bool is_gone = number >= lost_one && number < lost_one + gone;
    if (is_gone && is_lost) continue;
    const std::span<float> values = bench.input().as<float>();
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = is_gone ? nan : static_cast<float>(7 * number + i * i % 11);
    bench.input().header() = {.sequence = number, .parts = 1, .missing_parts = is_gone ? 1U : 0U};
    if (bench.process() != Outcome::produced) continue;
    const std::span<float> output = bench.output().as<float>();
    if (!is_gone) all[number].assign(output.begin(), output.end());
  }
  return all;
}

class LostFrames : public ::testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(InARow, LostFrames, ::testing::Values(1, 2, 3));

TEST_P(LostFrames, have_the_effect_of_frames_without_values) {
  for (const Remembering& kernel : remembering()) {
    SCOPED_TRACE(kernel.name);
    const auto without = results(kernel, GetParam(), true), with_nothing = results(kernel, GetParam(), false);
    ASSERT_EQ(without.size(), frames - GetParam());
    for (const auto& [number, values] : without)
      EXPECT_THAT(values,
                  ::testing::Pointwise(::testing::NanSensitiveFloatNear(1e-4F), with_nothing.at(number)))
          << "frame " << number;
  }
}

TEST(Align, keeps_the_samples_before_a_lost_frame) {
  const auto all = results(remembering().front(), 1, true);
  // Rows 24 to 27 of the stream contain rows 14 to 17 of frames 3 and 4; frame 5 was lost.
  const std::vector<float>& values = all.at(lost_one + 1);
  EXPECT_THAT(values, ::testing::Each(::testing::Truly([](float value) { return !std::isnan(value); })));
  // Row 14: row 2 of frame 3, whose elements have the numbers 6, 7 and 8.
  EXPECT_FLOAT_EQ(values[0], 7 * 3 + 36 % 11);
  EXPECT_FLOAT_EQ(values[1], 7 * 3 + 49 % 11);
  EXPECT_FLOAT_EQ(values[2], 7 * 3 + 64 % 11);
}

}  // namespace kernels_lost_frames_test
}  // namespace takt::pipeline::test
