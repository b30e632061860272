/// Tests that kernels declare how they move the time of frames, and that combining kernels check it.

#include <cmath>
#include <random>

#include <gmock/gmock.h>

#include "tests/pipeline/kernels/kernel_bench.hpp"

namespace takt::pipeline::test {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr std::size_t samples = 64;

/// One sample is 1 ms.
FrameType stream_of(ElementType element) {
  FrameType type = frame_type(element, {{"beamlet", 2}, {"time", samples}, {"polarisation", 2}});
  type.axes[0].coordinates = {100e6, 101e6};
  type.rate_hz = 1000.0 / samples;
  return type;
}

/// Compares the change of the headers with the type, not with a declaration of the kernel.
TEST(StartOfFrames, moves_equally_in_types_and_headers) {
  FrameType powers = frame_type(ElementType::float32, {{"time", samples}, {"channel", 3}});
  powers.axes[1].coordinates = {1400e6, 1300e6, 1200e6};
  powers.rate_hz = 1000.0 / samples;
  const FrameType voltages = stream_of(ElementType::complex_float32);
  FrameType packets = frame_type(ElementType::complex_int8, {{"packet", 4}, {"beamlet", 2}, {"time", 16}});
  packets.rate_hz = 1000.0 / samples;
  struct Row {
    std::string kernel;
    Written written;
    FrameType input;
    /// Expected value in ms.
    double moved;
  };
  for (const Row& row : std::vector<Row>{
           {"fir", {{"coefficients", "[1, 0, 0, 0]"}}, voltages, -1.5},
           {"delay", {{"delay", "5 ms"}, {"taps", "16"}}, voltages, -7},
           {"decimate", {{"factor", "4"}, {"half_width", "3"}}, powers, -12},
           {"resample", {{"up", "3"}, {"down", "2"}, {"half_width", "3"}}, powers, -3},
           {"downmix", {{"frequency", "0"}, {"factor", "2"}, {"half_width", "5"}}, voltages, -10},
           {"pfb", {{"channels", "8"}, {"taps", "4"}}, voltages, -12},
           {"align", {{"samples", "9"}}, powers, -9},
           {"remove_response", {{"sensitivity", "3"}, {"band", "[1, 2, 3, 4]"}, {"taps", "9"}}, powers, -4},
           // 4148.808 s x 0.1 x (1/1200^2 - 1/1400^2), to the nearest ms.
           {"dedisperse", {{"first", "100"}}, powers, -76},
           {"select", {{"axis", "time"}, {"first", "5"}, {"count", "8"}}, powers, 5},
           {"select", {{"axis", "time"}, {"indices", "[9, 3]"}}, powers, 9},
           {"select", {{"axis", "packet"}, {"first", "2"}, {"count", "1"}}, packets, 32},
           {"select", {{"axis", "channel"}, {"first", "2"}, {"count", "1"}}, powers, 0},
           {"iir", {{"high", "100 Hz"}}, powers, 0},
       }) {
    KernelBench bench(row.kernel, row.written, {row.input});
    bench.input().header() = {.sequence = 3, .utc_ns = 1'000'000'000, .parts = 1};
    ASSERT_EQ(bench.process(), Outcome::produced) << row.kernel;
    EXPECT_NEAR(bench.output_type().start_s, 1e-3 * row.moved, 1e-9) << row.kernel;
    EXPECT_NEAR(static_cast<double>(bench.output().header().utc_ns - 1'000'000'000), 1e6 * row.moved, 1)
        << row.kernel;
  }
}

/// The same moment has the same UTC on both branches; the expected sum is computed sample by sample.
TEST(Align, lets_a_stream_be_added_to_its_filtered_version) {
  FrameType type = frame_type(ElementType::float32, {{"time", 16}});
  type.rate_hz = 10;
  KernelBench filter("fir", {{"coefficients", "[0.25, 0, 0, 0.5, 0, 0, -1]"}}, {type});
  KernelBench align("align", {{"samples", "3"}}, {type});
  KernelBench sum("sum", {}, {filter.output_type(), align.output_type()});
  std::mt19937 random(1);
  std::vector<float> sent;
  for (std::uint64_t k = 0; k < 5; ++k) {
    for (KernelBench* bench : {&filter, &align})
      bench->input().header() = {
          .sequence = k, .utc_ns = static_cast<std::int64_t>(k) * 100'000'000, .parts = 1};
    for (std::size_t t = 0; t < 16; ++t) {
      sent.push_back(static_cast<float>(random() % 100));
      filter.input().as<float>()[t] = align.input().as<float>()[t] = sent.back();
    }
    std::size_t i = 0;
    for (KernelBench* bench : {&filter, &align}) {
      ASSERT_EQ(bench->process(), Outcome::produced);
      std::ranges::copy(bench->output().as<float>(), sum.input(i).as<float>().begin());
      sum.input(i++).header() = bench->output().header();
    }
    ASSERT_EQ(sum.process(), Outcome::produced);
    EXPECT_EQ(sum.output().header().utc_ns, static_cast<std::int64_t>(k) * 100'000'000 - 18'750'000);
    for (std::size_t t = 0; t < 16; ++t) {
      // Sample m of the stream, which has the time of n - 3.
      const auto n = static_cast<std::ptrdiff_t>(16 * k + t);
      if (n < 6) continue;
      const auto x = [&](std::ptrdiff_t m) { return sent[static_cast<std::size_t>(m)]; };
      EXPECT_FLOAT_EQ(sum.output().as<float>()[t], x(n - 3) + 0.25F * x(n) + 0.5F * x(n - 3) - x(n - 6)) << n;
    }
  }
}

/// A plug-in may move headers without declaring it in its type.
TEST(InputsOfOneTask, are_also_checked_in_the_run) {
  const FrameType type = stream_of(ElementType::complex_float32);
  for (const auto& [kernel, written] : std::vector<std::pair<std::string, Written>>{
           {"sum", {}}, {"stack", {}}, {"merge_lanes", {}}, {"beamform", {}}}) {
    KernelBench bench(kernel, written, {type, type});
    const auto apart = [&](std::int64_t ns, std::uint16_t source) {
      bench.input(0).header() = {.sequence = 7, .utc_ns = 5'000'000'000};
      bench.input(1).header() = {.sequence = 7, .utc_ns = 5'000'000'000 + ns, .source = source};
      return bench.process();
    };
    EXPECT_EQ(apart(0, 0), Outcome::produced);
    // Rounding, and the differences between rows of joined sources.
    EXPECT_EQ(apart(400'000, 0), Outcome::produced);
    EXPECT_EQ(apart(8'000'000, 1), Outcome::produced);
    EXPECT_THAT([&] { apart(-2'000'000, 0); },
                ThrowsMessage<WorkError>(HasSubstr(
                    "frame 7 of input 2 begins 2 ms (2 samples) earlier than that of the first input")))
        << kernel;
  }
}

TEST(Select, keeps_the_times_of_selected_samples) {
  FrameType type = frame_type(ElementType::float32, {{"time", 8}, {"channel", 2}});
  type.rate_hz = 100;
  const FrameType cut =
      KernelBench("select", {{"axis", "time"}, {"first", "2"}, {"count", "4"}}, {type}).output_type();
  EXPECT_THAT(
      cut.axes[0].coordinates,
      ::testing::Pointwise(::testing::DoubleNear(1e-12), std::vector<double>{0, 1.25e-3, 2.5e-3, 3.75e-3}));
  EXPECT_TRUE(cut.has_gaps);
  EXPECT_EQ(cut.rate_hz, 100);
  const FrameType every =
      KernelBench("select", {{"axis", "time"}, {"indices", "[1, 3, 5, 7]"}}, {type}).output_type();
  EXPECT_THAT(every.axes[0].coordinates, ::testing::Pointwise(::testing::DoubleNear(1e-12),
                                                              std::vector<double>{0, 2.5e-3, 5e-3, 7.5e-3}));
  EXPECT_FALSE(every.has_gaps);
  // Halves that are joined again are the whole.
  std::vector<FrameType> halves;
  for (const char* const first : {"0", "4"})
    halves.push_back(
        KernelBench("select", {{"axis", "time"}, {"first", first}, {"count", "4"}}, {type}).output_type());
  const FrameType whole = KernelBench("stack", {{"axis", "time"}}, halves).output_type();
  EXPECT_FALSE(whole.has_gaps);
  EXPECT_NEAR(whole.start_s, 0, 1e-12);
  ASSERT_EQ(whole.axes[0].coordinates.size(), 8U);
  for (std::size_t t = 0; t < 8; ++t)
    EXPECT_NEAR(whole.axes[0].coordinates[t], 1.25e-3 * static_cast<double>(t), 1e-12);
}

}  // namespace
}  // namespace takt::pipeline::test
