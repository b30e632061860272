/// Tests the output of the integration, and the frames that each result represents.

#include <cmath>
#include <numeric>

#include <gmock/gmock.h>

#include "tests/pipeline/kernels/kernel_bench.hpp"

namespace takt::pipeline::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

/// Processes a frame whose elements are all `value`.
Outcome give(KernelBench& bench, std::uint64_t sequence, float value) {
  bench.input().header() = {.sequence = sequence,
                            .utc_ns = static_cast<std::int64_t>(1000 * sequence),
                            .first_sample = 16 * sequence,
                            .ingested_ns = static_cast<std::int64_t>(7000 + sequence),
                            .parts = 4,
                            .missing_parts = sequence == 1 ? 1U : 0U};
  std::ranges::fill(bench.input().as<float>(), value);
  return bench.process();
}

TEST(Integrate, averages_successive_spectra_of_a_frame) {
  FrameType type = spectra(4, 2);
  type.axes[0].coordinates = {0, 10, 20, 30};
  type.rate_hz = 25;
  KernelBench bench("integrate", {{"factor", "2"}}, {type});
  EXPECT_EQ(bench.output_type().to_string(), "float32[time=2][channel=2]");
  EXPECT_THAT(bench.output_type().axes[0].coordinates, ElementsAre(0, 20));
  EXPECT_EQ(bench.output_type().rate_hz, 25);
  const auto in = bench.input().as<float>();
  std::iota(in.begin(), in.end(), 1.0F);  // 1 2 | 3 4 | 5 6 | 7 8
  EXPECT_EQ(bench.process(), Outcome::produced);
  EXPECT_THAT(bench.output().as<float>(), ElementsAre(2, 3, 6, 7));
  EXPECT_EQ(bench.finish(), Outcome::absorbed);
}

TEST(Integrate, adds_them_up_in_mode_sum) {
  KernelBench bench("integrate", {{"factor", "4"}, {"mode", "sum"}}, {spectra(4, 2)});
  const auto in = bench.input().as<float>();
  std::iota(in.begin(), in.end(), 1.0F);
  bench.process();
  EXPECT_THAT(bench.output().as<float>(), ElementsAre(16, 20));
}

TEST(Integrate, combines_frames_until_a_group_is_full) {
  FrameType type = spectra(2, 3);
  type.rate_hz = 30;
  KernelBench bench("integrate", {{"factor", "6"}}, {type});  // 3 frames of 2 spectra
  EXPECT_EQ(bench.output_type().to_string(), "float32[time=1][channel=3]");
  EXPECT_EQ(bench.output_type().rate_hz, 10);
  EXPECT_EQ(give(bench, 0, 1), Outcome::absorbed);
  EXPECT_EQ(give(bench, 1, 2), Outcome::absorbed);
  EXPECT_EQ(give(bench, 2, 6), Outcome::produced);
  EXPECT_THAT(bench.output().as<float>(), ElementsAre(3, 3, 3));

  const FrameHeader& header = bench.output().header();
  EXPECT_EQ(header.sequence, 0U);
  EXPECT_EQ(header.utc_ns, 0);
  EXPECT_EQ(header.ingested_ns, 7002);
  EXPECT_EQ(header.combined, 3U);
  EXPECT_EQ(header.parts, 12U);
  EXPECT_EQ(header.missing_parts, 1U);

  EXPECT_EQ(give(bench, 3, 5), Outcome::absorbed);
  EXPECT_EQ(give(bench, 4, 5), Outcome::absorbed);
  EXPECT_EQ(give(bench, 5, 8), Outcome::produced);
  EXPECT_THAT(bench.output().as<float>(), ElementsAre(6, 6, 6));
  EXPECT_EQ(header.sequence, 1U);
  EXPECT_EQ(header.utc_ns, 3000);
  EXPECT_EQ(header.first_sample, 48U);
}

TEST(Integrate, outputs_the_unfinished_group_at_the_end) {
  KernelBench bench("integrate", {{"factor", "3"}}, {spectra(1, 2)});
  give(bench, 3, 4);
  give(bench, 4, 8);
  EXPECT_EQ(bench.finish(), Outcome::produced);
  EXPECT_THAT(bench.output().as<float>(), ElementsAre(6, 6));
  EXPECT_EQ(bench.output().header().sequence, 1U);
  EXPECT_EQ(bench.output().header().combined, 2U);
  EXPECT_EQ(bench.finish(), Outcome::absorbed);
}

TEST(Integrate, aligns_groups_with_frame_numbers_when_frames_are_lost) {
  KernelBench bench("integrate", {{"factor", "3"}}, {spectra(1, 1)});
  give(bench, 0, 1);
  // Frames 1 to 3 are lost: 4 belongs to the second group (3, 4, 5), so the first one is complete.
  EXPECT_EQ(give(bench, 4, 10), Outcome::produced);
  EXPECT_THAT(bench.output().as<float>(), ElementsAre(1));
  EXPECT_EQ(bench.output().header().sequence, 0U);
  EXPECT_EQ(bench.output().header().combined, 1U);
  EXPECT_EQ(give(bench, 5, 20), Outcome::produced);
  EXPECT_THAT(bench.output().as<float>(), ElementsAre(15));
  EXPECT_EQ(bench.output().header().sequence, 1U);
  EXPECT_EQ(bench.output().header().combined, 2U);
}

TEST(Integrate, loses_no_frame_when_the_last_of_a_group_ends_another_one) {
  KernelBench bench("integrate", {{"factor", "2"}}, {spectra(1, 1)});
  give(bench, 0, 1);
  // Frame 3 ends group 0 and completes group 1, which must wait: one call produces one frame.
  EXPECT_EQ(give(bench, 3, 3), Outcome::produced);
  EXPECT_EQ(bench.output().header().sequence, 0U);
  EXPECT_EQ(give(bench, 5, 5), Outcome::produced);
  EXPECT_EQ(bench.output().header().sequence, 1U);
  EXPECT_THAT(bench.output().as<float>(), ElementsAre(3));
  EXPECT_EQ(bench.finish(), Outcome::produced);
  EXPECT_EQ(bench.output().header().sequence, 2U);
  EXPECT_THAT(bench.output().as<float>(), ElementsAre(5));
}

TEST(Integrate, does_not_lose_small_values_in_long_sums) {
  // In single precision 2^24 + 1 is 2^24; the mean of 16777216 and 3 times 1 is 4194304.75.
  KernelBench bench("integrate", {{"factor", "4"}}, {spectra(1, 1)});
  give(bench, 0, 16777216);
  give(bench, 1, 1);
  give(bench, 2, 1);
  give(bench, 3, 1);
  EXPECT_EQ(bench.output().as<float>()[0], 4194304.75F);
}

TEST(Integrate, does_not_lose_small_values_in_long_frames) {
  constexpr std::size_t rows = std::size_t{1} << 22;
  for (const bool has_hole : {false, true}) {
    KernelBench bench("integrate", {{"factor", std::to_string(rows)}}, {spectra(rows, 1)});
    bench.input().header() = {.parts = 1, .missing_parts = has_hole ? 1U : 0U};
    const auto in = bench.input().as<float>();
    std::ranges::fill(in, 1.37F);
    if (has_hole) std::ranges::fill(in.subspan(1500, 2'000'000), std::nanf(""));
    ASSERT_EQ(bench.process(), Outcome::produced);
    // Within the rounding of sums of 1000; single precision alone is 1 % off.
    EXPECT_NEAR(bench.output().as<float>()[0], 1.37F, 1e-4);
  }
}

TEST(Integrate, refuses_a_factor_that_divides_neither_way) {
  EXPECT_THAT(
      [] {
        KernelBench("integrate", {{"factor", "6"}}, {spectra(4, 2)});
      },
      ThrowsMessage<ConfigError>(
          HasSubstr("6 is not valid: expected a divisor or a multiple of the 4 spectra of a frame")));
}

TEST(Integrate, refuses_complex_numbers) {
  EXPECT_THAT(
      [] {
        KernelBench("integrate", {{"factor", "2"}},
                    {frame_type(ElementType::complex_float32, {{"time", 2}})});
      },
      ThrowsMessage<InputError>("expected float32[time]..., got complex_float32[time=2]: {kernel: stokes} "
                                "computes powers of complex numbers"));
}

}  // namespace
}  // namespace takt::pipeline::test
