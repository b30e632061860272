/// Is the schedule that a pipeline runs by the one that its objective asks for?

#include "pipeline/planning/pipeline_plan.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/pipeline/config/load.hpp"

namespace takt::pipeline::test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// s 1 ms, three stateless tasks of 5 ms each, o 1 ms: 17 ms for a frame in all. A message takes 50 us at
/// each end.
PipelinePlan plan_of(const std::string& settings, const std::string& source_rate = "0 Hz",
                     const std::string& machine = "logp:P=3,L=100000,o=50000,g=50000",
                     std::optional<Bytes> cache = {}) {
  const Pipeline pipeline = load("sources: {s: {type: synthetic, axes: [time=4], rate: " + source_rate + R"(}}
tasks:
  a: {kernel: pass, input: s}
  b: {kernel: pass, input: a}
  c: {kernel: pass, input: b}
sinks:
  o: {type: 'null', input: c}
deployment: {ranks: 3}
)" + settings);
  std::vector<StageCost> costs;
  for (const Stage& stage : pipeline.stages)
    costs.push_back(
        {.stage = stage.name, .cost = std::chrono::milliseconds(stage.kind == StageKind::kernel ? 5 : 1)});
  return plan_pipeline(pipeline, costs, {logp::parse_machine(machine), 3, cache});
}

TEST(PipelinePlan, takes_the_least_latency_that_holds_the_rate_with_the_margin) {
  // 50 Hz and a margin of 1.25: a frame every 16 ms. One rank cannot, two can with one message: 17 ms and
  // o + L + o = 0.2 ms.
  const PipelinePlan plan = plan_of("rate: 50 Hz\n");
  const ScheduleMetrics metrics = measure(plan.schedule());
  EXPECT_EQ(plan.summary.objective, "latency");
  EXPECT_LE(metrics.repetition, std::chrono::milliseconds(16));
  EXPECT_EQ(metrics.latency, std::chrono::microseconds(17'200));
  EXPECT_EQ(metrics.processors_used, 2U);
  EXPECT_EQ(plan.schedule().replicas, 1U);
  EXPECT_THAT(plan.summary.notes, IsEmpty());
}

TEST(PipelinePlan, gives_a_source_with_a_rate_of_its_own_no_more_than_that) {
  // As with `rate: 50 Hz`, but nothing is required.
  const PipelinePlan plan = plan_of("", "50 Hz");
  EXPECT_EQ(plan.summary.objective, "latency");
  EXPECT_EQ(measure(plan.schedule()).latency, std::chrono::microseconds(17'200));
  EXPECT_EQ(plan.schedule().replicas, 1U);
  EXPECT_FALSE(plan.summary.required_hz);
  // Whoever says what it is for is obeyed, and a source without a rate takes all it can get.
  EXPECT_EQ(plan_of("objective: frequency\n", "50 Hz").summary.objective, "frequency");
  EXPECT_EQ(plan_of("", "0 Hz").summary.objective, "frequency");
}

TEST(PipelinePlan, takes_one_rank_where_several_promise_hardly_more) {
  const std::string dear = "logp:P=3,L=0,o=10500000,g=10500000";
  const double several = plan_of("scheduler: optfo\n", "0 Hz", dear).summary.predicted_hz;
  ASSERT_GT(several, 1.05 / 0.017);
  ASSERT_LT(several, 1.15 / 0.017);
  const PipelinePlan plan = plan_of("", "0 Hz", dear);
  EXPECT_EQ(measure(plan.schedule()).processors_used, 1U);
  EXPECT_NEAR(plan.summary.predicted_hz, 1 / 0.017, 1e-6);
  EXPECT_THAT(plan.summary.notes, ElementsAre(HasSubstr("hardly more than one rank")));
  EXPECT_GT(measure(plan_of("").schedule()).processors_used, 1U);
}

TEST(PipelinePlan, takes_a_chain_where_several_frames_at_a_time_do_not_fit_the_cache) {
  const std::string cheap = "logp:P=3,L=100,o=100,g=100";
  const auto memory = [](const PipelinePlan& plan) {
    return Bytes{std::ranges::max(plan.summary.memory_bytes)};
  };
  const PipelinePlan fastest = plan_of("", "0 Hz", cheap);
  const PipelinePlan chain = plan_of("scheduler: chains\n", "0 Hz", cheap);
  ASSERT_GT(fastest.schedule().replicas, 1U);
  ASSERT_GT(fastest.summary.predicted_hz, chain.summary.predicted_hz);
  ASSERT_GT(memory(fastest), memory(chain));

  const PipelinePlan small = plan_of("", "0 Hz", cheap, memory(chain));
  EXPECT_EQ(small.schedule().processors, chain.schedule().processors);
  EXPECT_THAT(small.summary.notes, ElementsAre(HasSubstr("do not fit the cache")));
  // Where they fit, where not even the chain's do, and where somebody has chosen.
  EXPECT_EQ(plan_of("", "0 Hz", cheap, memory(fastest)).schedule().replicas, fastest.schedule().replicas);
  EXPECT_EQ(plan_of("", "0 Hz", cheap, Bytes{1}).schedule().replicas, fastest.schedule().replicas);
  EXPECT_EQ(plan_of("scheduler: optfo\n", "0 Hz", cheap, memory(chain)).schedule().replicas,
            fastest.schedule().replicas);
}

TEST(PipelinePlan, knows_other_margins) {
  // 20 ms are enough for one rank.
  const ScheduleMetrics metrics = measure(plan_of("rate: 50 Hz\nobjective: {margin: 1}\n").schedule());
  EXPECT_EQ(metrics.latency, std::chrono::milliseconds(17));
  EXPECT_EQ(metrics.processors_used, 1U);
}

TEST(PipelinePlan, takes_the_fewest_ranks_where_asked) {
  // A frame every 10 ms: two ranks could at best do 8.5 ms and a message, in turns; one cannot.
  const PipelinePlan plan = plan_of("rate: 80 Hz\nobjective: processors\n");
  EXPECT_EQ(plan.summary.objective, "processors");
  EXPECT_EQ(measure(plan.schedule()).processors_used, 2U);
  EXPECT_LE(measure(plan.schedule()).period(), 10e6);
}

TEST(PipelinePlan, falls_back_to_the_highest_frequency_and_says_so) {
  const PipelinePlan plan = plan_of("rate: 1 kHz\n");
  EXPECT_EQ(plan.summary.objective, "frequency");
  EXPECT_EQ(plan.summary.scheduler, "optfo");
  EXPECT_THAT(plan.summary.notes, Contains(HasSubstr("no schedule holds 1 kHz with a margin of 1.25")));
  EXPECT_EQ(measure(plan.schedule()).exact_period(),
            measure(plan_of("objective: frequency\n").schedule()).exact_period());
}

TEST(PipelinePlan, obeys_a_named_scheduler) {
  for (const char* name : {"single", "basic_fo"}) {
    const PipelinePlan plan = plan_of(fmt::format("rate: 50 Hz\nscheduler: {}\n", name));
    EXPECT_EQ(plan.summary.scheduler, name);
    EXPECT_EQ(plan.summary.objective, "frequency");
  }
}

TEST(Objective, is_the_least_latency_where_a_rate_is_required_and_no_scheduler_named) {
  EXPECT_EQ(load(good_pipeline).goal.objective, schedulers::Objective::frequency);
  EXPECT_EQ(load(good_pipeline + "rate: 5 Hz\n").goal.objective, schedulers::Objective::latency);
  EXPECT_EQ(load(good_pipeline + "rate: 5 Hz\nscheduler: greedy\n").goal.objective,
            schedulers::Objective::frequency);
  EXPECT_EQ(load(good_pipeline + "rate: 5 Hz\nscheduler: {seed: 3}\n").goal.objective,
            schedulers::Objective::latency);
  const Pipeline full = load(good_pipeline + "rate: 5 Hz\nobjective: {name: processors, margin: 2}\n");
  EXPECT_EQ(full.goal.objective, schedulers::Objective::processors);
  EXPECT_EQ(full.goal.margin, 2);
  EXPECT_EQ(load(good_pipeline + "rate: 5 Hz\nobjective: processors\n",
                 {{"objective.name", "frequency"}, {"scheduler.name", "greedy"}})
                .goal.scheduler,
            "greedy");
}

TEST(Objective, must_make_sense) {
  EXPECT_THAT(errors_in(good_pipeline + "objective: latency\n"),
              ElementsAre("p.yaml:9:12: objective 'latency' needs the rate that is to be held: expected "
                          "'rate: 50 Hz'"));
  EXPECT_THAT(errors_in(good_pipeline + "rate: 5 Hz\nscheduler: greedy\nobjective: latency\n"),
              ElementsAre(HasSubstr("p.yaml:11:12: objective 'latency' chooses from many schedulers")));
  EXPECT_THAT(errors_in(good_pipeline + "rate: 5 Hz\nobjective: latncy\n"),
              ElementsAre(HasSubstr("did you mean 'latency'?")));
  EXPECT_THAT(errors_in(good_pipeline + "rate: 5 Hz\nobjective: {margin: 0.5}\n"),
              ElementsAre(HasSubstr("margin")));
}

}  // namespace
}  // namespace takt::pipeline::test
