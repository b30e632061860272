/// Tests that the chosen plan is the one that the goal requires, by costs and by trial runs.

#include "pipeline/planning/verdict.hpp"

#include <gmock/gmock.h>

#include "tests/pipeline/config/load.hpp"

namespace takt::pipeline::test {
namespace {

TEST(Verdict, is_the_first_plan_as_fast_as_the_fastest_for_the_highest_throughput) {
  const PlanGoal goal{.accuracy = 0.03};
  EXPECT_EQ(best_plan_of(goal, {{100}}), 0U);
  EXPECT_EQ(best_plan_of(goal, {{100}, {102}}), 0U);
  EXPECT_EQ(best_plan_of(goal, {{100}, {90}, {104}}), 2U);
  EXPECT_EQ(best_plan_of(goal, {{90}, {102}, {104}}), 1U);
  EXPECT_EQ(best_plan_of(goal, {{0}, {90}, {104}}), 2U);
  EXPECT_FALSE(is_enough(goal, {1e9}));
}

TEST(Verdict, is_the_first_plan_that_sustains_the_rate) {
  const PlanGoal goal{.enough = Frequency{100}, .accuracy = 0.03};
  EXPECT_EQ(best_plan_of(goal, {{100}, {200}}), 0U);
  EXPECT_EQ(best_plan_of(goal, {{99}, {200}, {300}}), 1U);
  EXPECT_EQ(best_plan_of(goal, {{80}, {0}, {99}}), 2U);
  EXPECT_EQ(best_plan_of(goal, {{98}, {99}}), 0U);
}

TEST(Verdict, is_a_later_plan_that_sustains_the_rate_with_clearly_less_latency) {
  const auto best = [](std::vector<PlanFigures> plans) {
    return best_plan_of({.enough = Frequency{100}, .wants_least_latency = true, .accuracy = 0.03}, plans);
  };
  EXPECT_EQ(best({{100, Time{1000}}, {100, Time{899}}, {100, Time{850}}}), 1U);
  EXPECT_EQ(best({{100, Time{1000}}, {100, Time{899}}, {100, Time{800}}}), 2U);
  EXPECT_EQ(best({{100, Time{1000}}, {100, Time{901}}}), 0U);
  // The sustained rate has precedence, and an unknown latency is not less.
  EXPECT_EQ(best({{100, Time{1000}}, {99, Time{10}}}), 0U);
  EXPECT_EQ(best({{99, Time{10}}, {100, Time{1000}}}), 1U);
  EXPECT_EQ(best({{100, Time{1000}}, {100}}), 0U);
  EXPECT_EQ(best({{100}, {100, Time{1000}}}), 0U);
  EXPECT_EQ(best({{80, Time{10}}, {90, Time{1000}}}), 1U);
  EXPECT_EQ(best_plan_of({.enough = Frequency{100}}, {{100, Time{1000}}, {100, Time{10}}}), 0U);
}

Pipeline pipeline_with(const std::string& settings, const std::string& source_rate = "0 Hz") {
  return load("sources: {s: {type: synthetic, axes: [time=4], rate: " + source_rate +
              "}}\n"
              "tasks: {a: {kernel: pass, input: s}}\nsinks: {o: {type: 'null', input: a}}\n" +
              settings);
}

TEST(Verdict, needs_the_margin_of_the_file_by_costs_and_less_by_trial_runs) {
  for (const auto& [settings, source_rate] : {std::pair("rate: 50 Hz\n", "0 Hz"), {"", "50 Hz"}}) {
    const Pipeline pipeline = pipeline_with(settings, source_rate);
    EXPECT_DOUBLE_EQ(goal_by_costs(pipeline).enough->hertz, 62.5);
    EXPECT_DOUBLE_EQ(goal_by_trials(pipeline).enough->hertz, 55);
    EXPECT_TRUE(goal_by_trials(pipeline).wants_least_latency);
  }
  const Pipeline own = pipeline_with("rate: 50 Hz\nobjective: {margin: 1.3}\n");
  EXPECT_DOUBLE_EQ(goal_by_trials(own).enough->hertz, 65);
  const Pipeline bare = pipeline_with("rate: 50 Hz\nobjective: {name: processors, margin: 1}\n");
  EXPECT_DOUBLE_EQ(goal_by_costs(bare).enough->hertz, 50);
  EXPECT_DOUBLE_EQ(goal_by_trials(bare).enough->hertz, 55);
  EXPECT_FALSE(goal_by_trials(bare).wants_least_latency);
  EXPECT_FALSE(goal_by_trials(pipeline_with("")).enough);
  EXPECT_FALSE(goal_by_costs(pipeline_with("rate: 50 Hz\nobjective: frequency\n")).enough);
}

}  // namespace
}  // namespace takt::pipeline::test
