/// Tests that repetitions of trial runs are long enough for infrequent calls.

#include "pipeline/runtime/trials/hyperperiod.hpp"

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

TEST(Hyperperiod, is_long_enough_for_all_calls) {
  const RunPlan plan = plan_of(
      {stage_of(1, 50'000), stage_of(1.0 / 4, 100'000), stage_of(1.0 / 6, 100'000), stage_of(0.4, 100'000)},
      8000);
  EXPECT_EQ(hyperperiod(plan, 1000).rounds, 60U);
  EXPECT_THAT(hyperperiod(plan, 1000).beyond, ElementsAre());
}

TEST(Hyperperiod, counts_iterations_of_several_frames) {
  EXPECT_EQ(hyperperiod(plan_of({stage_of(1.0 / 6, 100'000)}, 8000, 4), 1000).rounds, 3U);
  EXPECT_EQ(hyperperiod(plan_of({stage_of(1.0 / 6, 100'000)}, 8000, 6), 1000).rounds, 1U);
}

TEST(Hyperperiod, ignores_calls_that_are_negligible_or_too_infrequent) {
  EXPECT_EQ(hyperperiod(plan_of({stage_of(1.0 / 95, 1'000)}, 1000), 1000).rounds, 1U);
  const Hyperperiod cycle =
      hyperperiod(plan_of({stage_of(1.0 / 7, 700'000), stage_of(1.0 / 4000, 400'000'000)}, 1000), 1000);
  EXPECT_EQ(cycle.rounds, 7U);
  EXPECT_THAT(cycle.beyond, ElementsAre(1));
}

}  // namespace
}  // namespace takt::pipeline::test
