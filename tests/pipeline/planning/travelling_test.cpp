/// Tests plans in which states travel with the frames.

#include "pipeline/planning/travelling.hpp"

#include <algorithm>
#include <chrono>
#include <random>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "core/error.hpp"
#include "logp/diagnostics.hpp"
#include "pipeline/planning/candidates.hpp"
#include "tests/pipeline/config/load.hpp"

namespace takt::pipeline::test {
namespace {

using std::chrono::microseconds;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

/// Three tasks, the middle one with a state of some bytes per channel. All stages could be on any rank, but
/// for that state.
Pipeline pipeline_of(std::size_t channels, const std::string& settings = "") {
  return load(fmt::format(R"(sources: {{s: {{type: synthetic, axes: [time=64, channel={}]}}}}
tasks:
  a: {{kernel: pass, input: s}}
  b: {{kernel: bandpass, input: a, frames: 10}}
  c: {{kernel: pass, input: b}}
sinks: {{o: {{type: 'null', input: c}}}}
deployment: {{ranks: 2{}}}
)",
                          channels, settings));
}

std::vector<StageCost> costs_of(const Pipeline& pipeline, const std::vector<int>& us) {
  std::vector<StageCost> costs;
  for (std::size_t i = 0; i < pipeline.stages.size(); ++i)
    costs.push_back({.stage = pipeline.stages[i].name, .cost = microseconds(us[i])});
  return costs;
}

/// Two ranks on one node. A message takes 1 us and 1 ns per byte in all.
logp::Machine one_node() {
  const logp::Machine machine = logp::parse_machine("loglinear:P=2,L=1000+0.5,o=0+0.25,g=0");
  Platform platform = machine.platform();
  platform.node_of.assign(platform.processor_count(), 0);
  platform.cluster_of_node = {0};
  return logp::Machine(std::move(platform), machine.level_costs());
}

std::vector<PipelinePlan> travelling(const std::vector<PipelinePlan>& plans) {
  std::vector<PipelinePlan> found;
  std::ranges::copy_if(plans, std::back_inserter(found),
                       [](const PipelinePlan& plan) { return !plan.schedule().travelling.empty(); });
  return found;
}

TEST(TravellingPlan, keeps_frames_on_their_rank) {
  const Pipeline pipeline = pipeline_of(4);
  ASSERT_GT(pipeline.stages[2].travelling.count, 0U);
  const std::vector<PipelinePlan> found =
      travelling(candidate_plans(pipeline, costs_of(pipeline, {0, 10, 10, 10, 0}), {one_node(), 2}));
  ASSERT_EQ(found.size(), 1U);
  const PipelinePlan& plan = found.front();
  EXPECT_THAT(plan.schedule().travelling, ElementsAre(TaskId(2)));
  EXPECT_TRUE(plan.schedule().messages.empty());
  EXPECT_TRUE(logp::diagnose(plan.graph, plan.machine, plan.schedule()).empty());
  EXPECT_FALSE(plan.graph.task(TaskId(2)).stateless);
  // The transfer of its state is part of the task, and half of all work is the period of two ranks.
  const double transfer = 1000 + static_cast<double>(pipeline.stages[2].travelling.count);
  EXPECT_NEAR(1e9 / plan.summary.predicted_hz, (30'000 + transfer) / 2, 2);
  EXPECT_THAT(plan.summary.notes, Contains(HasSubstr("the state of b (up to")));
  // A file has all of it.
  const PipelinePlan read = plan_from_yaml(to_yaml(plan), "s.yaml", pipeline, 2);
  EXPECT_EQ(read.schedule(), plan.schedule());
  EXPECT_LE(read.plan.evaluation.figures.bound, read.plan.evaluation.figures.exact_period());
}

TEST(TravellingPlan, has_at_least_the_period_of_the_task_with_the_state) {
  const Pipeline pipeline = pipeline_of(4);
  const std::vector<PipelinePlan> found =
      travelling(candidate_plans(pipeline, costs_of(pipeline, {0, 10, 50, 10, 0}), {one_node(), 2}));
  ASSERT_EQ(found.size(), 1U);
  const double transfer = 1000 + static_cast<double>(pipeline.stages[2].travelling.count);
  EXPECT_NEAR(1e9 / found.front().summary.predicted_hz, 50'000 + transfer, 2);
}

/// The state of 4096 channels is an eighth of a frame of 64 samples; a message of a frame takes a
/// millisecond.
TEST(TravellingPlan, is_chosen_where_the_state_costs_less_than_the_frames) {
  const Pipeline large = pipeline_of(4096);
  const auto chosen = [&](int us) {
    return !choose_by_costs(large,
                            candidate_plans(large, costs_of(large, {0, us, us, us, 0}), {one_node(), 2}))
                .schedule()
                .travelling.empty();
  };
  EXPECT_LT(large.stages[2].travelling.count, 100'000U);
  EXPECT_TRUE(chosen(100));
  // The transfer of the state takes longer than all the rest: one rank is faster.
  EXPECT_FALSE(chosen(1));
}

TEST(TravellingPlan, is_refused_in_a_pipelined_schedule) {
  const Pipeline pipeline = pipeline_of(4);
  const std::vector<PipelinePlan> found =
      travelling(candidate_plans(pipeline, costs_of(pipeline, {0, 10, 10, 10, 0}), {one_node(), 2}));
  ASSERT_EQ(found.size(), 1U);
  std::string yaml = to_yaml(found.front());
  ASSERT_THAT(yaml, HasSubstr("\ntravelling:"));
  yaml.insert(yaml.find("\ntravelling:"), "\nrepetition: 1000000");
  EXPECT_THAT([&] { return plan_from_yaml(yaml, "s.yaml", pipeline, 2); },
              ThrowsMessage<ConfigError>(HasSubstr("the state of 'b' travels in a pipelined schedule")));
}

TEST(TravellingPlan, needs_ranks_that_share_memory) {
  const Pipeline pipeline = pipeline_of(4), over_mpi = pipeline_of(4, ", transport: mpi");
  const std::vector<StageCost> costs = costs_of(pipeline, {0, 10, 10, 10, 0});
  EXPECT_EQ(over_mpi.stages[2].travelling.count, 0U);
  EXPECT_TRUE(travelling(candidate_plans(over_mpi, costs, {one_node(), 2})).empty());
  const logp::Machine two_nodes = logp::parse_machine("logp:P=2,L=1000,o=0,g=0");
  EXPECT_TRUE(travelling(candidate_plans(pipeline, costs, {two_nodes, 2})).empty());
}

}  // namespace
}  // namespace takt::pipeline::test
