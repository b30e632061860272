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

TEST(Verdict, is_a_plan_within_the_limit_of_the_latency) {
  const PlanGoal goal{
      .enough = Frequency{100}, .rate = Frequency{80}, .latency_limit = Time{500}, .accuracy = 0.03};
  const auto best = [&](const std::vector<PlanFigures>& plans) { return best_plan_of(goal, plans); };
  EXPECT_EQ(best({{200, Time{501}}, {100, Time{500}}}), 1U);
  EXPECT_TRUE(is_enough(goal, {100, Time{500}}));
  EXPECT_FALSE(is_enough(goal, {100, Time{501}}));
  // An unknown latency is no reason against a plan.
  EXPECT_TRUE(is_enough(goal, {100}));
  // No plan holds both: the one of least latency that has the rate, or else the fastest within the limit.
  EXPECT_EQ(best({{200, Time{900}}, {150, Time{600}}, {70, Time{10}}}), 1U);
  // Both without the margin.
  EXPECT_EQ(best({{200, Time{501}}, {80, Time{10}}, {90, Time{500}}}), 2U);
  EXPECT_EQ(best({{99, Time{900}}, {50, Time{500}}, {60, Time{400}}}), 2U);
  EXPECT_EQ(best({{98, Time{900}}, {99, Time{800}}}), 0U);
  // For the highest throughput only plans within the limit count while there are any.
  const PlanGoal fastest{.latency_limit = Time{500}, .accuracy = 0.03};
  EXPECT_EQ(best_plan_of(fastest, {{200, Time{501}}, {100, Time{500}}, {102, Time{400}}, {110, Time{300}}}),
            3U);
  EXPECT_EQ(best_plan_of(fastest, {{200, Time{501}}, {203, Time{600}}}), 0U);
}

TEST(Verdict, reports_what_would_fit_if_no_plan_holds_rate_and_latency) {
  const PlanGoal goal{.enough = Frequency{100}, .rate = Frequency{80}, .latency_limit = Time{5'000'000}};
  const Time late{9'000'000}, later{12'000'000}, in_time{4'000'000};
  EXPECT_EQ(misfit_of({.enough = Frequency{100}, .rate = Frequency{80}}, {{10, late}}), std::nullopt);
  // The margin is not required.
  EXPECT_EQ(misfit_of(goal, {{200, late}, {80, in_time}}), std::nullopt);
  EXPECT_EQ(
      misfit_of(goal, {{200, later}, {90, late}, {79, in_time}}),
      "no plan found holds 80 Hz with a latency of at most 5 ms: the least predicted latency at 80 Hz is "
      "9 ms; within 5 ms a plan is predicted to reach 79 Hz");
  EXPECT_EQ(
      misfit_of(goal, {{200, later}, {40, late}}),
      "no plan found holds 80 Hz with a latency of at most 5 ms: the least predicted latency at 80 Hz is "
      "12 ms; the least predicted latency of the plans tried is 9 ms");
  EXPECT_EQ(
      misfit_of(goal, {{200, late}, {40, later}}),
      "no plan found holds 80 Hz with a latency of at most 5 ms: the least predicted latency at 80 Hz is "
      "9 ms");
  EXPECT_EQ(
      misfit_of(goal, {{60, later}, {79, in_time}}),
      "no plan found holds 80 Hz with a latency of at most 5 ms: the fastest plan is predicted to reach "
      "79 Hz; within 5 ms a plan is predicted to reach 79 Hz");
  EXPECT_EQ(misfit_of({.latency_limit = Time{5'000'000}}, {{60, later}, {79, late}}),
            "no plan found has a latency of at most 5 ms: the least predicted one is 9 ms");
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

TEST(Verdict, takes_the_limit_of_the_latency_from_the_file) {
  const Pipeline pipeline = pipeline_with("rate: 50 Hz\nlatency: {p90: 20 ms}\n");
  EXPECT_EQ(pipeline.latency, (LatencyLimit{Quantile::p90, std::chrono::milliseconds{20}}));
  EXPECT_EQ(goal_by_costs(pipeline).latency_limit, std::chrono::milliseconds{20});
  EXPECT_DOUBLE_EQ(goal_by_trials(pipeline).rate->hertz, 50);
  EXPECT_EQ(pipeline_with("latency: 20 ms\n").latency->quantile, Quantile::p99);
  EXPECT_EQ(pipeline_with("rate: 50 Hz\n").latency, std::nullopt);
}

}  // namespace
}  // namespace takt::pipeline::test
