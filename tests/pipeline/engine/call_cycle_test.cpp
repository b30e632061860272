/// Do rehearsals see what comes seldom as often as it comes?

#include "pipeline/engine/call_cycle.hpp"

#include <gmock/gmock.h>

namespace takt::pipeline::test {
namespace {

using ::testing::ElementsAre;

PlannedStage stage_of(double calls_a_frame, std::int64_t cost_ns, std::vector<std::size_t> ranks = {0}) {
  PlannedStage stage;
  stage.ranks = std::move(ranks);
  stage.cost_ns = cost_ns;
  stage.calls_a_frame = calls_a_frame;
  return stage;
}

RunPlan plan_of(std::vector<PlannedStage> stages, double hertz, std::uint32_t replicas = 1) {
  return {.ranks = 2, .replicas = replicas, .stages = std::move(stages), .predicted_hz = hertz};
}

TEST(CallCycle, is_as_long_as_all_calls_together_need) {
  const RunPlan plan = plan_of(
      {stage_of(1, 50'000), stage_of(1.0 / 4, 100'000), stage_of(1.0 / 6, 100'000), stage_of(0.4, 100'000)},
      8000);
  EXPECT_EQ(call_cycle(plan, 1000).rounds, 60U);
  EXPECT_THAT(call_cycle(plan, 1000).beyond, ElementsAre());
}

TEST(CallCycle, counts_rounds_of_several_frames) {
  EXPECT_EQ(call_cycle(plan_of({stage_of(1.0 / 6, 100'000)}, 8000, 4), 1000).rounds, 3U);
  EXPECT_EQ(call_cycle(plan_of({stage_of(1.0 / 6, 100'000)}, 8000, 6), 1000).rounds, 1U);
}

TEST(CallCycle, leaves_out_calls_that_are_nothing_beside_a_frame_or_too_far_apart) {
  EXPECT_EQ(call_cycle(plan_of({stage_of(1.0 / 95, 1'000)}, 1000), 1000).rounds, 1U);
  const CallCycle cycle =
      call_cycle(plan_of({stage_of(1.0 / 7, 700'000), stage_of(1.0 / 4000, 400'000'000)}, 1000), 1000);
  EXPECT_EQ(cycle.rounds, 7U);
  EXPECT_THAT(cycle.beyond, ElementsAre(1));
}

/// 100 us of each frame, and as much again of calls that a trial of 500 frames has none of.
TEST(CallCycle, adds_what_was_not_called_to_what_was_seen) {
  const RunPlan plan = plan_of({stage_of(1, 80'000), stage_of(1.0 / 1000, 100'000'000)}, 5000);
  const CallCycle cycle = call_cycle(plan, 500);
  ASSERT_THAT(cycle.beyond, ElementsAre(1));
  EXPECT_DOUBLE_EQ(with_calls_beyond(plan, cycle, 500, 10'000), 5000);
  EXPECT_DOUBLE_EQ(with_calls_beyond(plan, cycle, 1000, 5000), 5000);
  EXPECT_EQ(with_calls_beyond(plan, cycle, 500, 0), 0);
}

/// The rank that has them may have had nothing to do before, and the other one waits for what is longer than
/// the frames that wait between them.
TEST(CallCycle, knows_which_rank_has_them) {
  RunPlan plan = plan_of({stage_of(1, 100'000), stage_of(1.0 / 1000, 80'000'000, {1})}, 10'000);
  const CallCycle cycle = call_cycle(plan, 500);
  plan.frames_held = {800, 800};
  EXPECT_DOUBLE_EQ(with_calls_beyond(plan, cycle, 500, 10'000), 10'000);
  EXPECT_DOUBLE_EQ(with_calls_beyond(plan, cycle, 500, 20'000), 12'500);
  plan.frames_held = {200, 200};
  EXPECT_DOUBLE_EQ(with_calls_beyond(plan, cycle, 500, 10'000), 6250);
}

/// Of two ranks that take frames by turns one may have all of them.
TEST(CallCycle, gives_one_of_several_ranks_all_calls) {
  RunPlan plan = plan_of({stage_of(1, 100'000, {0, 1}), stage_of(1.0 / 1000, 80'000'000, {0, 1})}, 10'000, 2);
  plan.frames_held = {800, 800};
  EXPECT_DOUBLE_EQ(with_calls_beyond(plan, call_cycle(plan, 300), 600, 20'000), 1e9 / 130'000);
}

}  // namespace
}  // namespace takt::pipeline::test
