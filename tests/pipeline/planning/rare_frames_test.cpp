/// Notes about infrequent, expensive frames.

#include "pipeline/planning/rare_frames.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace takt::pipeline::test {
namespace {

using testing::ElementsAre;

TEST(RareFrames, are_told_where_they_are_much_of_the_work) {
  const std::vector<StageCost> costs{
      {.stage = "source", .cost = Time{100}},
      {.stage = "search", .cost = Time{199'000}, .rare = RareCalls{0.01, Time{10'000'000}, Time{100'000}}},
      {.stage = "pass", .cost = Time{100'000}, .rare = RareCalls{0.01, Time{500'000}, Time{96'000}}}};
  RunPlan plan{.stages = {{.name = "source", .cost_ns = 100},
                          {.name = "search", .cost_ns = 199'000},
                          {.name = "pass", .cost_ns = 100'000}},
               .predicted_hz = 3000};
  EXPECT_FALSE(has_rare_frames(plan));
  note_rare_calls(costs, plan);
  EXPECT_TRUE(has_rare_frames(plan));
  EXPECT_THAT(rare_call_notes(plan),
              ElementsAre("'search' is slow on 1 % of the frames (10 ms, not 100 us): short queues follow"));
  // 5 us a frame of 100 us.
  EXPECT_EQ(plan.stages[2].rare_ns, 500'000);
  plan.stages.erase(plan.stages.begin() + 1);
  EXPECT_FALSE(has_rare_frames(plan));
}

TEST(RareFrames, are_not_told_where_they_are_nothing_beside_a_frame) {
  const std::vector<StageCost> costs{
      {.stage = "null", .cost = Time{70}, .rare = RareCalls{0.012, Time{1020}, Time{59}}}};
  RunPlan plan{.stages = {{.name = "null", .cost_ns = 70}}, .predicted_hz = 200};
  note_rare_calls(costs, plan);
  EXPECT_FALSE(has_rare_frames(plan));
  EXPECT_THAT(rare_call_notes(plan), ElementsAre());
  // 12 ns a frame: of 1 us that is much.
  RunPlan fast{.stages = {{.name = "null", .cost_ns = 70}}, .predicted_hz = 1e6};
  note_rare_calls(costs, fast);
  EXPECT_TRUE(has_rare_frames(fast));
  // Of one frame in a hundred it is nothing again.
  fast.stages[0].calls_a_frame = 0.01;
  EXPECT_FALSE(has_rare_frames(fast));
}

}  // namespace
}  // namespace takt::pipeline::test
