/// Tests how many frames a source buffers while a run changes its plan.

#include "pipeline/planning/deep_queues.hpp"

#include <gtest/gtest.h>

#include "tests/pipeline/config/load.hpp"

namespace takt::pipeline::test {
namespace {

std::int64_t depth_of(const std::string& source, const std::string& rest = "") {
  Pipeline pipeline =
      load("sources: {s: {type: synthetic, " + source +
           "}}\ntasks: {a: {kernel: pass, input: s}}\nsinks: {o: {type: 'null', input: a}}\n" + rest);
  deepen_queues(pipeline);
  return pipeline.stages[pipeline.sources().front()].parameters.integer("depth");
}

/// 200 ms at 1200 Hz; 128 MiB of 4 MiB each; the depth of the user; a required rate without a source rate.
TEST(DeepQueues, hold_the_frames_of_a_fifth_of_a_second) {
  EXPECT_EQ(depth_of("axes: [time=4], rate: 1200 Hz"), 240);
  EXPECT_EQ(depth_of("axes: [time=4], rate: 1 MHz"), 4096);
  EXPECT_EQ(depth_of("axes: [time=4], rate: 1 Hz"), 8);
  EXPECT_EQ(depth_of("element: int8, axes: [time=4194304], rate: 1200 Hz"), 32);
  EXPECT_EQ(depth_of("axes: [time=4], rate: 1200 Hz, depth: 5"), 5);
  EXPECT_EQ(depth_of("axes: [time=4]"), 8);
  EXPECT_EQ(depth_of("axes: [time=4]", "rate: 500 Hz\n"), 100);
}

/// At 100 Hz, 20 frames arrive while one rank runs the two tasks after the integration.
TEST(DeepQueues, hold_frames_that_arrive_while_a_rank_processes_an_integrated_frame) {
  const auto pipeline_with = [](const std::string& depth) {
    return load("sources: {s: {type: synthetic, element: float32, axes: [time=4], rate: 100 Hz" + depth +
                R"(}}
tasks:
  sum: {kernel: integrate, factor: 400, input: s}
  a: {kernel: pass, input: sum}
  b: {kernel: pass, input: a}
sinks: {o: {type: 'null', input: b}}
)");
  };
  const Pipeline pipeline = pipeline_with("");
  RunPlan plan{.ranks = 1};
  for (std::size_t i = 0; i < pipeline.stages.size(); ++i) {
    plan.stages.push_back({.name = pipeline.stages[i].name, .ranks = {0}, .cost_ns = 1'000'000});
    plan.stages.back().calls_a_frame = pipeline.calls_a_frame(i);
    if (pipeline.stages[i].name == "a" || pipeline.stages[i].name == "b")
      plan.stages.back().cost_ns = 100'000'000;
  }
  const auto depth_of_plan = [&](Pipeline given) {
    deepen_queues(given, plan);
    return given.stages[given.sources().front()].parameters.integer("depth");
  };
  EXPECT_EQ(depth_of_plan(pipeline), 49);
  EXPECT_EQ(depth_of_plan(pipeline_with(", depth: 9")), 9);

  note_short_queues(pipeline, plan);
  EXPECT_TRUE(plan.notes.empty());
  note_short_queues(pipeline_with(", depth: 9"), plan);
  ASSERT_EQ(plan.notes.size(), 1U);
  EXPECT_EQ(plan.notes.front(),
            "one frame may occupy a rank for 201 ms, in which 21 more arrive: 's' buffers 9 and drops the "
            "others; 'depth: 51' buffers them all");

  for (PlannedStage& stage : plan.stages) stage.cost_ns *= 1000;
  note_short_queues(pipeline_with(", depth: 9"), plan);
  EXPECT_TRUE(plan.notes.back().ends_with("the largest 'depth' is 4096")) << plan.notes.back();
}

}  // namespace
}  // namespace takt::pipeline::test
