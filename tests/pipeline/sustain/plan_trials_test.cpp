/// Is the plan that is taken the one that the trials speak for?

#include "pipeline/sustain/plan_trials.hpp"

#include <gmock/gmock.h>

#include "tests/pipeline/config/load.hpp"

namespace takt::pipeline::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Le;

/// s 1 ms, two stateless tasks of 5 ms each.
Pipeline small_pipeline() {
  return load(R"(sources: {s: {type: synthetic, axes: [time=4]}}
tasks: {a: {kernel: pass, input: s}, b: {kernel: pass, input: a}}
sinks: {o: {type: 'null', input: b}}
deployment: {ranks: 2}
)");
}

std::vector<StageCost> costs_of(const Pipeline& pipeline) {
  std::vector<StageCost> costs;
  for (const Stage& stage : pipeline.stages)
    costs.push_back(
        {.stage = stage.name, .cost = std::chrono::milliseconds(stage.kind == StageKind::kernel ? 5 : 1)});
  return costs;
}

/// Messages that cost as much as tasks make one rank worth a try.
std::vector<PipelinePlan> plans() {
  const Pipeline pipeline = small_pipeline();
  const std::vector<StageCost> costs = costs_of(pipeline);
  const logp::Machine machine = logp::parse_machine("logp:P=2,L=1000000,o=1000000,g=1000000");
  return plans_to_try(pipeline, plan_pipeline(pipeline, costs, {machine, 2}), costs, 2);
}

TEST(PlanTrials, try_no_plan_twice_and_none_that_is_hopeless) {
  const std::vector<PipelinePlan> tried = plans();
  ASSERT_GT(tried.size(), 1U);
  EXPECT_THAT(tried.size(), Le(4U));
  for (std::size_t i = 0; i < tried.size(); ++i) {
    EXPECT_GE(2 * tried[i].summary.predicted_hz, tried[0].summary.predicted_hz);
    for (std::size_t j = 0; j < i; ++j)
      EXPECT_NE(tried[i].schedule().processors, tried[j].schedule().processors);
  }
}

TEST(PlanTrials, have_one_for_quicker_links_where_measured_ones_leave_all_to_one_rank) {
  Pipeline pipeline = small_pipeline();
  // As of one that writes a file: frames have to come to it.
  pipeline.stages.back().stateless = false;
  const std::vector<StageCost> costs = costs_of(pipeline);
  const auto ranks_tried = [&](const std::string& machine) {
    std::vector<std::size_t> ranks;
    const PipelinePlan first = plan_pipeline(pipeline, costs, {logp::parse_machine(machine), 2});
    for (const PipelinePlan& plan : plans_to_try(pipeline, first, costs, 2))
      ranks.push_back(plan.plan.evaluation.figures.processors_used);
    return ranks;
  };
  EXPECT_THAT(ranks_tried("logp:P=2,L=0,o=30000000,g=30000000"), ElementsAre(1, 2));
  EXPECT_THAT(ranks_tried("logp:P=2,L=0,o=200000000,g=200000000"), ElementsAre(1));
  // The links of a machine that somebody gives are believed.
  pipeline.deployment.machine = "logp:P=2,L=0,o=30000000,g=30000000";
  EXPECT_THAT(ranks_tried(pipeline.deployment.machine), ElementsAre(1));
}

std::vector<PlanTrial> trials_with(const std::vector<std::vector<double>>& hertz) {
  const std::vector<PipelinePlan> all = plans();
  std::vector<PlanTrial> trials;
  for (const std::vector<double>& each : hertz) trials.push_back({all[trials.size() % all.size()], each});
  return trials;
}

TEST(PlanTrials, stay_with_the_first_plan_unless_another_is_clearly_faster) {
  EXPECT_EQ(choose_plan(trials_with({{100, 100, 100}, {104, 104, 104}}), std::nullopt), 0U);
  EXPECT_EQ(choose_plan(trials_with({{100, 100, 100}, {120, 120, 120}, {110, 110, 110}}), std::nullopt), 1U);
  // One disturbed trial, or a lucky one, is not the plan.
  EXPECT_EQ(choose_plan(trials_with({{100, 20, 100}, {90, 90, 90}}), std::nullopt), 0U);
  EXPECT_EQ(choose_plan(trials_with({{100, 100, 100}, {90, 90, 300}}), std::nullopt), 0U);
}

TEST(PlanTrials, take_the_first_plan_that_holds_the_rate) {
  // The fastest need not have the least latency.
  EXPECT_EQ(choose_plan(trials_with({{100, 100, 100}, {200, 200, 200}}), 90), 0U);
  EXPECT_EQ(choose_plan(trials_with({{80, 80, 80}, {95, 95, 95}, {200, 200, 200}}), 90), 1U);
  EXPECT_EQ(choose_plan(trials_with({{80, 80, 80}, {95, 95, 95}, {200, 200, 200}}), 500), 2U);
}

TEST(PlanTrials, say_what_was_tried) {
  PlanTrials trials{trials_with({{100, 101, 99}, {480, 480, 480}}), 1};
  EXPECT_THAT(to_text(trials), AllOf(HasSubstr("100 Hz"), HasSubstr("480 Hz"),
                                     HasSubstr("takes " + trials.plan().summary.scheduler)));
  trials.tried.pop_back();
  trials.chosen = 0;
  EXPECT_THAT(to_text(trials), HasSubstr("no other plan is worth trying"));
}

TEST(Trials, warn_of_sinks_that_send) {
  const Pipeline pipeline = load(R"(sources: {s: {type: synthetic, axes: [time=4]}}
tasks: {a: {kernel: pass, input: s}}
sinks:
  here: {type: 'null', input: a}
  there: {type: udp, input: a, to: '127.0.0.1:9'}
)");
  EXPECT_THAT(warnings_of_trials(pipeline),
              ElementsAre("sink 'there' sends the trials' frames to whoever listens to it, as in a run"));
}

}  // namespace
}  // namespace takt::pipeline::test
