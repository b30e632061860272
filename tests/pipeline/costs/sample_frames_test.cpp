/// Tests that tasks are measured on frames like those of the pipeline.

#include "pipeline/costs/sample_frames.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>

#include <gmock/gmock.h>

#include "pipeline/costs/kernel_trial.hpp"
#include "tests/pipeline/config/load.hpp"

namespace takt::pipeline::test {
namespace {

using ::testing::Each;
using ::testing::Le;

constexpr Time long_enough{std::chrono::seconds{5}};

std::vector<float> filled(const SampleFrames& samples, const Pipeline& pipeline, std::size_t stage) {
  TrialFrame frame(pipeline.stages[stage].output.size());
  samples.fill(stage, frame.buffer());
  const std::span<const float> values = frame.buffer().as<float>();
  return {values.begin(), values.end()};
}

std::vector<float> noise(std::size_t elements) {
  TrialFrame frame(Bytes{elements * sizeof(float)});
  fill_with_noise(frame.buffer(), ElementType::float32);
  const std::span<const float> values = frame.buffer().as<float>();
  return {values.begin(), values.end()};
}

/// s, low, every, never, o.
Pipeline pipeline_of(const std::string& source) {
  return load("sources: {s: {type: synthetic, element: float32, axes: [time=8, channel=32], " + source +
              "}}\n"
              "tasks:\n  low: {kernel: clip, input: s, high: 3}\n"
              "  every: {kernel: integrate, input: low, factor: 16}\n"
              "  never: {kernel: integrate, input: low, factor: 800000000}\n"
              "sinks: {o: {type: 'null', input: every}, p: {type: 'null', input: never}}\n");
}

TEST(SampleFrames, are_computed_by_the_kernels_from_the_sources) {
  const Pipeline pipeline = pipeline_of("pattern: ramp");
  const SampleFrames samples(pipeline, std::chrono::milliseconds(100));
  std::vector<float> expected = filled(samples, pipeline, 0);
  EXPECT_TRUE(std::ranges::is_sorted(expected));
  EXPECT_GT(expected.back(), 3);
  for (float& value : expected) value = std::min(value, 3.0F);
  EXPECT_EQ(filled(samples, pipeline, 1), expected);
  EXPECT_THAT(filled(samples, pipeline, 2), Each(Le(3)));
}

/// Frames of a stream whose frames all differ, in order, from iteration 1 on; iteration 0 has the last one.
TEST(SampleFrames, differ_in_each_iteration) {
  const Pipeline pipeline = load(
      "sources: {s: {type: synthetic, element: float32, axes: [time=8], pattern: count}}\n"
      "tasks:\n  a: {kernel: pass, input: s}\n  both: {kernel: stack, inputs: [s, a], axis: beamlet}\n"
      "sinks: {o: {type: 'null', input: both}}\n");
  const SampleFrames samples(pipeline, long_enough);
  TrialFrame own(pipeline.stages[0].output.size()), passed(pipeline.stages[1].output.size());
  const std::vector<FrameBuffer> frames{own.buffer(), passed.buffer()};
  std::vector<float> firsts;
  for (std::size_t turn = 0; turn < 66; ++turn) {
    samples.fill(std::vector<std::size_t>{0, 1}, frames, turn);
    EXPECT_TRUE(std::ranges::equal(own.view().bytes, passed.view().bytes)) << turn;
    EXPECT_EQ(own.view().header->utc_ns, passed.view().header->utc_ns);
    firsts.push_back(own.view().as<float>().front());
  }
  EXPECT_TRUE(std::ranges::is_sorted(firsts.begin() + 1, firsts.begin() + 65));
  EXPECT_LT(firsts[1], firsts[64]);
  EXPECT_EQ(firsts[0], firsts[64]);
  EXPECT_EQ(firsts[1], firsts[65]);
}

/// Two inputs, of which one has only every sixteenth frame.
TEST(SampleFrames, are_the_last_ones_when_inputs_have_different_rates) {
  const Pipeline pipeline = pipeline_of("pattern: ramp");
  const SampleFrames samples(pipeline, long_enough);
  TrialFrame low(pipeline.stages[1].output.size()), every(pipeline.stages[2].output.size());
  const std::vector<FrameBuffer> frames{low.buffer(), every.buffer()};
  std::set<std::vector<std::byte>> seen;
  for (std::size_t turn = 0; turn < 5; ++turn) {
    samples.fill(std::vector<std::size_t>{1, 2}, frames, turn);
    const auto bytes = every.view().bytes;
    seen.emplace(bytes.begin(), bytes.end());
  }
  EXPECT_EQ(seen.size(), 1U);
}

TEST(SampleFrames, are_noise_where_no_frame_arrived) {
  const Pipeline pipeline = pipeline_of("pattern: ramp");
  EXPECT_EQ(filled(SampleFrames(pipeline, std::chrono::milliseconds(100)), pipeline, 3), noise(32));
  const SampleFrames without_time(pipeline, Time{0});
  for (const std::size_t stage : {0U, 1U}) EXPECT_EQ(filled(without_time, pipeline, stage), noise(8 * 32));
}

/// A kernel that searches flagged values finds those that the pipeline flags.
TEST(SampleFrames, pass_missing_values_on_to_downstream_tasks) {
  const Pipeline pipeline = load(
      "sources: {s: {type: synthetic, element: float32, axes: [time=64, channel=16], pattern: zeros}}\n"
      "tasks:\n  clean: {kernel: rfi_mask, input: s}\n  mean: {kernel: integrate, input: clean, factor: 8}\n"
      "sinks: {o: {type: 'null', input: mean}}\n");
  const SampleFrames samples(pipeline, long_enough);
  const std::vector<float> flagged = filled(samples, pipeline, 1);
  EXPECT_TRUE(std::ranges::all_of(flagged, [](float value) { return std::isnan(value); }));
  TrialFrame frame(pipeline.stages[1].output.size());
  samples.fill(1, frame.buffer());
  EXPECT_GT(frame.view().header->missing_parts, 0U);
}

TEST(SampleFrames, name_the_task_that_fails) {
  Pipeline pipeline = pipeline_of("pattern: ramp");
  pipeline.kernels.add(
      {.name = "fails",
       .summary = "",
       .stateless = true,
       .make = [](const Parameters&) -> std::unique_ptr<Kernel> { throw std::runtime_error("no luck"); }});
  pipeline.stages[1].type = "fails";
  EXPECT_THAT([&] { SampleFrames(pipeline, long_enough); },
              ::testing::ThrowsMessage<WorkError>(
                  ::testing::HasSubstr("task 'low' failed while its cost was measured: no luck")));
}

}  // namespace
}  // namespace takt::pipeline::test
