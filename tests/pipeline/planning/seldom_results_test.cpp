/// What is known of kernels that give a frame for few of their inputs?

#include "pipeline/planning/seldom_results.hpp"

#include <array>
#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pipeline/profiling/profile.hpp"
#include "pipeline/profiling/trial_calls.hpp"
#include "tests/pipeline/config/load.hpp"

namespace takt::pipeline::test {
namespace {

using testing::ElementsAre;

/// A kernel, and behind it one that takes every second of its frames.
class Scripted : public KernelTrial {
 public:
  [[nodiscard]] std::span<const std::size_t> stages() const override { return stages_; }
  void fill(std::size_t /*turn*/) override {}
  void prepare() override {}
  void work() override { ++calls_; }
  [[nodiscard]] std::vector<Time> parts() const override {
    return {Time{100}, Time{calls_ % 2 == 0 ? 60 : 0}};
  }
  [[nodiscard]] bool gave(std::size_t i) const override { return calls_ % (i == 0 ? 2 : 4) == 0; }

 private:
  std::array<std::size_t, 2> stages_{3, 4};
  int calls_ = 0;
};

TEST(TrialCalls, are_taken_apart_by_stage) {
  Scripted trial;
  TrialCalls calls(trial);
  calls.note();
  calls.forget();
  // Others had the processor for half of the second call's time.
  const std::vector<Time> all{Time{100}, Time{80}, Time{100}, Time{160}, Time{100}, Time{160}};
  for (std::size_t call = 0; call < all.size(); ++call) {
    EXPECT_TRUE(calls.await_results());
    trial.work();
    calls.note();
  }
  const std::vector<StageCalls> stages = calls.of_stages(all);
  ASSERT_EQ(stages.size(), 2U);
  EXPECT_THAT(stages[0].times, ElementsAre(Time{100}, Time{50}, Time{100}, Time{100}, Time{100}, Time{100}));
  EXPECT_THAT(stages[0].gave, ElementsAre(false, true, false, true, false, true));
  EXPECT_THAT(stages[1].times, ElementsAre(Time{30}, Time{60}, Time{60}));
  EXPECT_THAT(stages[1].gave, ElementsAre(false, true, false));
  for (int call = 0; call < 2; ++call) {
    trial.work();
    calls.note();
  }
  EXPECT_FALSE(calls.await_results());
}

TEST(SeldomResults, cost_the_median_of_the_calls_that_gave_one) {
  const std::vector<Time> times{Time{1}, Time{1}, Time{9}, Time{1}, Time{1}, Time{7}, Time{1}, Time{60}};
  const std::vector<bool> three{false, false, true, false, false, true, false, true},
      one{false, false, false, false, false, false, false, true}, most(8, true);
  EXPECT_EQ(cost_of_results(times, three), Time{9});
  EXPECT_EQ(cost_of_results(times, one), std::nullopt);
  EXPECT_EQ(cost_of_results(times, most), std::nullopt);
  EXPECT_EQ(cost_of_results({}, {}), std::nullopt);
}

/// Two ranks take frames by turns: the one that has every second frame has all calls of what is behind a
/// decimation by two.
TEST(UnevenCalls, may_all_be_of_one_rank) {
  const auto stage = [](double calls_a_frame, std::int64_t cost_ns, std::vector<std::size_t> ranks) {
    PlannedStage planned{.name = "heavy", .ranks = std::move(ranks), .cost_ns = cost_ns};
    planned.calls_a_frame = calls_a_frame;
    return planned;
  };
  RunPlan plan{
      .ranks = 2, .replicas = 2, .predicted_hz = 1e9 / 550'000, .limit = "", .predicted_busy = {1, 1}};
  plan.stages = {stage(1, 100'000, {0, 1}), stage(0.5, 2'000'000, {0, 1})};
  count_uneven_calls(plan);
  EXPECT_NEAR(plan.predicted_hz, 1e9 / 1'050'000, 1e-6);
  EXPECT_THAT(plan.predicted_busy, ElementsAre(testing::DoubleNear(11.0 / 21, 1e-9), testing::_));
  EXPECT_EQ(plan.limit,
            "one of the ranks of 'heavy' may have all of its calls, and is occupied 1.05 ms a frame then");

  RunPlan of_one_rank{.ranks = 2, .predicted_hz = 1000, .limit = "as it was"};
  of_one_rank.stages = {stage(1, 100'000, {0}), stage(0.5, 2'000'000, {1})};
  count_uneven_calls(of_one_rank);
  EXPECT_EQ(of_one_rank.predicted_hz, 1000);
  EXPECT_EQ(of_one_rank.limit, "as it was");
}

/// 80 ms of one rank for every thousandth frame, of which 64 wait between two ranks: the other one waits.
TEST(LongCalls, hold_up_other_ranks) {
  RunPlan plan{
      .ranks = 2, .predicted_hz = 10'000, .limit = "", .predicted_busy = {1, 0.8}, .frames_held = {64, 64}};
  PlannedStage seldom{.name = "heavy", .ranks = {1}, .cost_ns = 80'000'000};
  seldom.calls_a_frame = 0.001;
  plan.stages = {{.name = "each", .ranks = {0}, .cost_ns = 100'000}, seldom};
  RunPlan of_more_held = plan;
  count_long_calls(plan);
  EXPECT_NEAR(plan.predicted_hz, 1e9 / (100'000 + 80'000 - 6'400), 1e-6);
  EXPECT_THAT(plan.predicted_busy,
              ElementsAre(testing::DoubleNear(1 / 1.736, 1e-9), testing::DoubleNear(0.8 / 1.736, 1e-9)));
  EXPECT_EQ(plan.limit,
            "all ranks wait while 'heavy' is at one call for 80 ms, in which more frames come than channels "
            "hold: 174 us a frame");

  of_more_held.frames_held = {800, 800};
  count_long_calls(of_more_held);
  EXPECT_EQ(of_more_held.predicted_hz, 10'000);
  EXPECT_EQ(of_more_held.limit, "");
}

TEST(SeldomResults, are_told_once_two_were_seen) {
  const Pipeline pipeline = load(R"(sources: {s: {type: synthetic, element: float32, axes: [time=64]}}
tasks:
  each: {kernel: pass, input: s}
  sums: {kernel: statistics, input: each, frames: 400}
sinks: {out: {type: 'null', input: sums}}
deployment: {ranks: 1}
)");
  // Twice 400 calls, whatever the clock says.
  const std::vector<StageCost> costs =
      profile(pipeline, {.budget = std::chrono::nanoseconds(1), .least_runs = 800});
  EXPECT_TRUE(costs[2].result && *costs[2].result > Time{0});
  EXPECT_FALSE(costs[0].result || costs[1].result || costs[3].result);
  EXPECT_FALSE(profile(pipeline, {.budget = std::chrono::nanoseconds(1), .least_runs = 700})[2].result);
  // There is ample time for them.
  EXPECT_TRUE(profile(pipeline, {.budget = std::chrono::milliseconds(100)})[2].result);
}

/// By hand: of a source, two ways of which the second one gives results that take 300 longer, where they
/// join, and one behind that takes 50 less for its own.
TEST(SeldomResults, make_the_latency_longer_of_the_sinks_that_get_them) {
  const std::vector<StageCost> costs{{.stage = "in", .cost = Time{10}},
                                     {.stage = "each", .cost = Time{100}},
                                     {.stage = "sums", .cost = Time{100}, .result = Time{400}},
                                     {.stage = "both", .cost = Time{80}, .result = Time{30}},
                                     {.stage = "quick", .cost = Time{1}},
                                     {.stage = "seldom", .cost = Time{1}},
                                     {.stage = "unplanned", .cost = Time{1}}};
  RunPlan plan;
  for (const auto& [name, inputs] :
       std::vector<std::pair<std::string, std::vector<std::size_t>>>{{"in", {}},
                                                                     {"each", {0}},
                                                                     {"sums", {0}},
                                                                     {"both", {1, 2}},
                                                                     {"quick", {1}},
                                                                     {"seldom", {3}},
                                                                     {"unplanned", {3}}})
    plan.stages.push_back({.name = name, .inputs = inputs});
  plan.stages[4].latency_ns = 111;
  plan.stages[5].latency_ns = 291;
  count_results(costs, plan);
  EXPECT_EQ(plan.stages[4].latency_ns, 111);
  EXPECT_EQ(plan.stages[5].latency_ns, 291 + 300 - 50);
  EXPECT_EQ(plan.stages[6].latency_ns, 0);
  EXPECT_EQ(plan.predicted_latency_ns, 541);
}

/// By hand: behind a kernel that makes one frame of seven, whose rate is known or not, a call is a seventh of
/// the load, and whole in the latency.
TEST(SeldomCalls, are_told_apart_from_the_mean_over_all_frames) {
  for (const std::string rate : {"", ", rate: 70 Hz"}) {
    const Pipeline pipeline =
        load("sources: {in: {type: synthetic, element: float32, axes: [time=4]" + rate + R"(}}
tasks:
  sums: {kernel: integrate, input: in, factor: 28}
  slow: {kernel: spin, input: sums, time: 7 ms}
sinks: {out: {type: null, input: slow}, all: {type: null, input: in}}
)");
    std::map<std::string, std::size_t> at;
    for (std::size_t i = 0; i < pipeline.stages.size(); ++i) at[pipeline.stages[i].name] = i;
    std::vector<Time> costs(pipeline.stages.size(), Time{7'000});
    costs[at["slow"]] = Time{7'000'000};
    const TaskGraph graph = pipeline.task_graph(costs);
    for (const auto& [name, work] : std::map<std::string, Time>{{"in", Time{7'000}},
                                                                {"sums", Time{7'000}},
                                                                {"slow", Time{1'000'000}},
                                                                {"out", Time{1'000}},
                                                                {"all", Time{7'000}}})
      EXPECT_EQ(graph.task(TaskId(at[name])).work, work) << name;
    RunPlan plan;
    for (std::size_t i = 0; i < pipeline.stages.size(); ++i)
      plan.stages.push_back({.name = pipeline.stages[i].name,
                             .inputs = pipeline.stages[i].inputs,
                             .cost_ns = costs[i].count(),
                             .calls_a_frame = pipeline.calls_a_frame(i),
                             .latency_ns = pipeline.stages[i].kind == StageKind::sink ? 2'000'000 : 0});
    count_seldom_calls(plan);
    EXPECT_EQ(plan.stages[at["all"]].latency_ns, 2'000'000);
    EXPECT_EQ(plan.stages[at["out"]].latency_ns, 2'000'000 + 6'000'000 + 6'000);
    EXPECT_EQ(plan.predicted_latency_ns, 8'006'000);
  }
}

}  // namespace
}  // namespace takt::pipeline::test
