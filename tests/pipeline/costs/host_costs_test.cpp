/// Tests plans for hosts of unequal speed.

#include "pipeline/costs/host_costs.hpp"

#include <algorithm>
#include <numeric>

#include <gmock/gmock.h>

#include "core/error.hpp"
#include "core/random.hpp"
#include "pipeline/costs/profile.hpp"
#include "pipeline/planning/candidates.hpp"
#include "tests/pipeline/config/load.hpp"

namespace takt::pipeline {
namespace costs_host_costs_test {

using namespace std::chrono_literals;
using ::testing::Each;
using ::testing::Field;
using ::testing::IsEmpty;

std::vector<StageCost> costs_of(const Pipeline& pipeline, const std::vector<Time>& times) {
  std::vector<StageCost> costs;
  for (std::size_t i = 0; i < pipeline.stages.size(); ++i)
    costs.push_back(
        {.stage = pipeline.stages[i].name, .cost = times[i], .low = times[i], .high = times[i], .runs = 9});
  return costs;
}

/// Returns a source, two tasks and a sink.
Pipeline chain(std::size_t ranks) {
  return test::load(test::good_pipeline + "deployment: {ranks: " + std::to_string(ranks) + "}\n");
}

std::vector<Time> scaled(std::vector<Time> times, int factor) {
  for (Time& time : times) time *= factor;
  return times;
}

const std::vector<Time> usual{Time{10us}, Time{400us}, Time{300us}, Time{20us}};

TEST(HostCosts, of_kinds_that_differ_within_the_accuracy_are_those_of_rank_0) {
  const Pipeline pipeline = chain(3);
  std::vector<Time> nearly = usual;
  nearly[1] += 50us;
  const std::vector<StageCost> costs =
      merge_costs({{costs_of(pipeline, usual), costs_of(pipeline, nearly)}, {0, 1, 0}});
  EXPECT_THAT(costs, Each(Field(&StageCost::by_rank, IsEmpty())));
  EXPECT_FALSE(task_graph_of(pipeline, costs, true).has_work_table());
}

TEST(HostCosts, of_different_kinds_become_costs_of_each_rank) {
  const Pipeline pipeline = chain(3);
  const std::vector<StageCost> costs =
      merge_costs({{costs_of(pipeline, usual), costs_of(pipeline, scaled(usual, 3))}, {0, 1, 0}});
  const TaskGraph graph = task_graph_of(pipeline, costs, true);
  for (std::size_t stage = 0; stage < usual.size(); ++stage) {
    EXPECT_EQ(graph.work_on(TaskId(stage), ProcessorId(0)), usual[stage]);
    EXPECT_EQ(graph.work_on(TaskId(stage), ProcessorId(1)), 3 * usual[stage]);
    EXPECT_EQ(graph.work_on(TaskId(stage), ProcessorId(2)), usual[stage]);
  }
}

TEST(HostCosts, grow_where_a_rank_has_a_share_of_a_processor) {
  const StageCost cost{.stage = "a", .cost = 300us, .copy = 30us, .low = 200us, .high = 500us, .runs = 9};
  const StageCost half = with_share(cost, 0.5);
  EXPECT_EQ(half.cost, 600us);
  EXPECT_EQ(half.copy, 60us);
  EXPECT_EQ(half.low, 400us);
  EXPECT_EQ(half.high, 1000us);
  EXPECT_EQ(half.runs, 9U);
  for (const double share : {1.0, 2.5}) EXPECT_EQ(with_share(cost, share).cost, 300us);
}

TEST(HostCosts, survive_the_transfer_between_ranks) {
  const Pipeline pipeline = chain(2);
  std::vector<StageCost> costs = costs_of(pipeline, usual);
  costs[0].copy = 4us;
  costs[1].is_whole = true;
  const std::vector<StageCost> read = costs_from_text(costs_to_text(costs));
  EXPECT_EQ(costs_to_text(read), costs_to_text(costs));
  EXPECT_EQ(read[0].copy, 4us);
  EXPECT_TRUE(read[1].is_whole && !read[0].is_whole);
  EXPECT_THROW((void)costs_from_text("[[1]]"), ConfigError);
}

/// Returns the least maximum load over all ways to cut the chain once and to
/// order the two ranks; messages are free.
Time best_cut(const std::vector<Time>& first, const std::vector<Time>& second) {
  Time best = Time::max();
  for (const auto& [before, behind] : {std::pair{&first, &second}, std::pair{&second, &first}})
    for (std::size_t cut = 0; cut <= first.size(); ++cut) {
      const auto at = static_cast<std::ptrdiff_t>(cut);
      best = std::min(best, std::max(std::accumulate(before->begin(), before->begin() + at, Time{0}),
                                     std::accumulate(behind->begin() + at, behind->end(), Time{0})));
    }
  return best;
}

TEST(HostCosts, improve_on_a_plan_that_ignores_them) {
  Random random(11);
  for (int trial = 0; trial < 10; ++trial) {
    Pipeline pipeline = chain(2);
    std::vector<Time> fast, slow;
    for (std::size_t stage = 0; stage < usual.size(); ++stage) {
      fast.emplace_back(std::chrono::microseconds{20 + static_cast<int>(random.below(400))});
      slow.push_back(fast.back() * (2 + static_cast<int>(random.below(4))));
    }
    const logp::Machine machine = logp::parse_machine("logp:P=2,L=0,o=0,g=0");
    const std::vector<StageCost> unlike =
        merge_costs({{costs_of(pipeline, fast), costs_of(pipeline, slow)}, {0, 1}});
    pipeline.goal.objective = schedulers::Objective::frequency;
    pipeline.goal.rate.reset();
    pipeline.leaves_goal_open = false;
    const PipelinePlan plan = plan_pipeline(pipeline, unlike, {machine, 8});
    // A plan that assumes the first rank's speed for both, evaluated with the true speeds.
    const PipelinePlan ignorant = plan_pipeline(pipeline, costs_of(pipeline, fast), {machine, 8});
    Time loads[2]{Time{0}, Time{0}};
    for (std::size_t p = 0; p < 2; ++p)
      for (const Operation& operation : ignorant.schedule().processors[p])
        if (operation.kind == OperationKind::compute)
          loads[p] += (p == 0 ? fast : slow)[operation.task().index()];
    const double truth =
        static_cast<double>(std::max(loads[0], loads[1]).count()) / ignorant.schedule().replicas;
    EXPECT_LE(plan.plan.prediction.period, truth * 1.0001) << trial;
    EXPECT_LE(plan.plan.prediction.period, static_cast<double>(best_cut(fast, slow).count()) * 1.0001)
        << trial;
    // A run reads the same plan back.
    const PipelinePlan read = plan_from_yaml(to_yaml(plan), "the plan", pipeline, 8);
    EXPECT_NEAR(read.plan.prediction.period, plan.plan.prediction.period, 1);
  }
}

}  // namespace costs_host_costs_test
}  // namespace takt::pipeline
