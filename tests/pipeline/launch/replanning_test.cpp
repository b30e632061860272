/// Tests that another plan is made during a run, and abandoned with it.

#include "pipeline/launch/replanning.hpp"

#include <atomic>
#include <chrono>
#include <stdexcept>

#include <gtest/gtest.h>

#include "pipeline/planning/candidates.hpp"
#include "tests/pipeline/config/load.hpp"

namespace takt::pipeline {
namespace {

Replanning::Outcome await(Replanning& replanning) {
  std::optional<Replanning::Outcome> outcome;
  while (!outcome) {
    outcome = replanning.take();
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  }
  return *std::move(outcome);
}

TEST(Replanning, returns_its_outcome_once) {
  const Pipeline pipeline =
      test::load("sources: {s: {type: synthetic, axes: [time=4]}}\nsinks: {o: {type: null, input: s}}\n");
  const PipelinePlan plan = plan_pipeline(pipeline, std::vector<StageCost>(2, {.cost = Time{1000}}),
                                          {logp::parse_machine("delay:P=1"), 1});
  Replanning replanning;
  EXPECT_FALSE(replanning.is_under_way());
  std::atomic<bool> may_end = false;
  replanning.begin([&](const std::stop_token&) {
    may_end.wait(false);
    return std::optional(plan);
  });
  EXPECT_TRUE(replanning.is_under_way());
  EXPECT_FALSE(replanning.take());
  may_end = true;
  may_end.notify_all();
  EXPECT_EQ(await(replanning).plan->summary.predicted_hz, plan.summary.predicted_hz);
  EXPECT_FALSE(replanning.is_under_way());
  EXPECT_FALSE(replanning.take());
}

TEST(Replanning, reports_why_it_failed_and_can_begin_again) {
  Replanning replanning;
  replanning.begin(
      [](const std::stop_token&) -> std::optional<PipelinePlan> { throw std::runtime_error("no room"); });
  EXPECT_EQ(await(replanning).failure, "no room");
  replanning.begin([](const std::stop_token&) -> std::optional<PipelinePlan> { throw 1; });
  EXPECT_EQ(await(replanning).failure, "an exception of unknown type");
  replanning.begin([](const std::stop_token&) { return std::optional<PipelinePlan>(); });
  const Replanning::Outcome none = await(replanning);
  EXPECT_FALSE(none.plan);
  EXPECT_EQ(none.failure, "");
}

TEST(Replanning, is_stopped_with_the_run) {
  std::atomic<bool> was_told = false;
  {
    Replanning replanning;
    replanning.begin([&](const std::stop_token& stop) {
      while (!stop.stop_requested()) std::this_thread::yield();
      was_told = true;
      return std::optional<PipelinePlan>();
    });
  }
  EXPECT_TRUE(was_told);
}

}  // namespace
}  // namespace takt::pipeline
