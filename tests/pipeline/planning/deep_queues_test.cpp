/// How much a source may keep while a run changes its plan.

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

/// 200 ms at 1200 Hz; 128 MiB of 4 MiB each; what the user says; a required rate where the source has none.
TEST(DeepQueues, hold_what_comes_in_a_fifth_of_a_second) {
  EXPECT_EQ(depth_of("axes: [time=4], rate: 1200 Hz"), 240);
  EXPECT_EQ(depth_of("axes: [time=4], rate: 1 MHz"), 4096);
  EXPECT_EQ(depth_of("axes: [time=4], rate: 1 Hz"), 8);
  EXPECT_EQ(depth_of("element: int8, axes: [time=4194304], rate: 1200 Hz"), 32);
  EXPECT_EQ(depth_of("axes: [time=4], rate: 1200 Hz, depth: 5"), 5);
  EXPECT_EQ(depth_of("axes: [time=4]"), 8);
  EXPECT_EQ(depth_of("axes: [time=4]", "rate: 500 Hz\n"), 100);
}

}  // namespace
}  // namespace takt::pipeline::test
