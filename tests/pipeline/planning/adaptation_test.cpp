/// Tests plans for a run in progress: they are better, and stages that cannot move stay.

#include "pipeline/planning/adaptation.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <random>
#include <span>

#include <gmock/gmock.h>

#include "logp/diagnostics.hpp"
#include "pipeline/planning/candidates.hpp"
#include "tests/pipeline/config/load.hpp"

namespace takt::pipeline::test {
namespace {

using std::chrono::microseconds;

constexpr const char* machine = "logp:P=3,L=100,o=100,g=100";

Pipeline chain(const std::string& middle = "{kernel: spin, input: a, time: 1 ms}") {
  Pipeline pipeline = load(R"(sources: {s: {type: synthetic, axes: [time=4]}}
tasks:
  a: {kernel: spin, input: s, time: 1 ms}
  b: )" + middle +
                           R"(
  c: {kernel: spin, input: b, time: 1 ms}
sinks: {o: {type: 'null', input: c}}
deployment: {ranks: 3}
)");
  pipeline.keep_ends_on_one_rank();
  return pipeline;
}

std::vector<StageCost> costs_of(const Pipeline& pipeline, std::initializer_list<int> us) {
  std::vector<StageCost> costs;
  for (const Stage& stage : pipeline.stages)
    costs.push_back({.stage = stage.name, .cost = microseconds(us.begin()[costs.size()])});
  return costs;
}

SharedPlan planned(const Pipeline& pipeline, std::initializer_list<int> us) {
  const PipelinePlan plan =
      plan_pipeline(pipeline, costs_of(pipeline, us), {logp::parse_machine(machine), 3});
  return {plan.summary, to_yaml(plan)};
}

Observed observed(std::initializer_list<int> us, double capacity_hz) {
  Observed observed{.costs = {}, .capacity_hz = capacity_hz};
  for (const int each : us) observed.costs.emplace_back(microseconds(each));
  return observed;
}

TEST(Adaptation, plans_from_the_measured_times) {
  const Pipeline pipeline = chain();
  const SharedPlan current = planned(pipeline, {1, 1000, 1000, 1000, 1});
  // b takes six times as long: 8 ms per frame in total for 3 ranks.
  const auto plan = adapted_plan(pipeline, current, observed({1, 1000, 6000, 1000, 1}, 166), 3);
  ASSERT_TRUE(plan);
  EXPECT_GT(plan->summary.predicted_hz, 1.1 * 166);
  EXPECT_LE(plan->summary.predicted_hz, 3.0 / 8e-3);
  EXPECT_EQ(plan->summary.stages[0].ranks, current.summary.stages[0].ranks);
  EXPECT_EQ(plan->summary.stages[4].ranks, current.summary.stages[4].ranks);
  EXPECT_TRUE(logp::diagnose(plan->graph, plan->machine, plan->schedule(), {}).empty());
}

/// Returns the time of a frame on each rank, if each had a core.
std::vector<double> work_ms(const PipelinePlan& plan, std::initializer_list<int> us) {
  std::vector<double> work(3);
  for (std::size_t i = 0; i < plan.summary.stages.size(); ++i)
    work[plan.summary.stages[i].ranks.front()] += us.begin()[i] / 1e3;
  return work;
}

TEST(Adaptation, moves_work_away_from_a_rank_whose_core_other_processes_use) {
  const Pipeline pipeline = chain();
  SharedPlan current = planned(pipeline, {1, 1000, 1000, 1000, 1});
  // The rank of b has its processor for a tenth of the time.
  const std::size_t slow = current.summary.stages[2].ranks.front();
  Observed seen = observed({1, 1000, 10000, 1000, 1}, 100);
  seen.most_ranks_on_a_host = 3;
  seen.processor_shares = {1, 1, 1};
  seen.processor_shares[slow] = 0.1;
  const auto plan = adapted_plan(pipeline, current, seen, 3);
  ASSERT_TRUE(plan);
  // Not 10 ms for b on any rank, but 3 ms of work on 2.1 processors.
  EXPECT_GT(plan->summary.predicted_hz, 400);
  EXPECT_LT(plan->summary.predicted_hz, 2.1 / 3e-3);
  EXPECT_LT(work_ms(*plan, {1, 1000, 1000, 1000, 1})[slow], 0.5);
  for (const std::size_t fixed : {0U, 4U})
    EXPECT_EQ(plan->summary.stages[fixed].ranks, current.summary.stages[fixed].ranks);
  EXPECT_EQ(plan->summary.processor_shares, seen.processor_shares);

  // The other processes have ended, and ranks with one or two tasks are slower
  // than planned: the costs are the original ones again.
  current = {plan->summary, to_yaml(*plan)};
  Observed later = observed({1, 1500, 1500, 1500, 1}, 300);
  later.most_ranks_on_a_host = 3;
  later.processor_shares = {1, 1, 1};
  const auto again = adapted_plan(pipeline, current, later, 3);
  ASSERT_TRUE(again);
  EXPECT_NEAR(again->summary.predicted_hz, 1 / 1.5e-3, 100);
  for (const double ms : work_ms(*again, {1, 1500, 1500, 1500, 1})) EXPECT_LT(ms, 1.6);

  // Oversubscribed ranks share processors as planned: this is no deviation.
  EXPECT_FALSE(adapted_plan(
      pipeline, planned(pipeline, {1, 1000, 1000, 1000, 1}),
      [&] {
        Observed oversubscribed = seen;
        oversubscribed.costs[2] = microseconds(1000);
        oversubscribed.capacity_hz = 950;
        return oversubscribed;
      }(),
      2));
}

TEST(Adaptation, has_no_plan_unless_it_is_better_by_a_tenth) {
  const Pipeline pipeline = chain();
  const SharedPlan current = planned(pipeline, {1, 1000, 1000, 1000, 1});
  EXPECT_FALSE(adapted_plan(pipeline, current, observed({1, 1000, 1000, 1000, 1}, 950), 3));
  // Three ranks need at least 8 / 3 ms.
  EXPECT_FALSE(adapted_plan(pipeline, current, observed({1, 1000, 6000, 1000, 1}, 341), 3));
}

/// For any cause of the deviation, a restart with the same plan would only interrupt the run.
TEST(Adaptation, offers_no_plan_without_a_moved_task) {
  const Pipeline pipeline = chain();
  const SharedPlan current = planned(pipeline, {1, 1000, 1000, 1000, 1});
  EXPECT_FALSE(adapted_plan(pipeline, current, observed({1, 1000, 1000, 1000, 1}, 166), 3));
}

/// Returns a plan of this scheduler.
SharedPlan planned_by(std::string_view scheduler, Pipeline pipeline, std::initializer_list<int> us) {
  pipeline.leaves_goal_open = false;
  pipeline.goal.scheduler = scheduler;
  return planned(pipeline, us);
}

/// A light pipeline begins on one rank with its source and its sink, which must stay there.
TEST(Adaptation, divides_the_tasks_of_one_rank_with_source_and_sink) {
  const Pipeline pipeline = chain();
  const SharedPlan current = planned_by("single", pipeline, {1, 1000, 1000, 1000, 1});
  const auto plan = adapted_plan(pipeline, current, observed({5, 4000, 4000, 4000, 5}, 83), 3);
  ASSERT_TRUE(plan);
  EXPECT_NEAR(plan->summary.predicted_hz, 1 / 4.01e-3, 1);
  for (const std::size_t fixed : {0U, 4U})
    EXPECT_EQ(plan->summary.stages[fixed].ranks, current.summary.stages[fixed].ranks);
  EXPECT_TRUE(logp::diagnose(plan->graph, plan->machine, plan->schedule(), {}).empty());
  // The next plan does not inherit the restrictions of this one.
  EXPECT_FALSE(plan->graph.has_work_table());
}

/// Returns the time per frame of the busiest rank.
int period_us(const std::vector<std::size_t>& rank_of, const std::vector<int>& us) {
  std::array<int, 3> loads{};
  for (std::size_t i = 0; i < rank_of.size(); ++i) loads.at(rank_of[i]) += us[i];
  return std::ranges::max(loads);
}

/// Returns the least period over all divisions of `movable` among three ranks.
int least_period_us(std::vector<std::size_t> rank_of, const std::vector<int>& us,
                    std::span<const std::size_t> movable) {
  if (movable.empty()) return period_us(rank_of, us);
  int least = std::numeric_limits<int>::max();
  for (std::size_t rank = 0; rank < 3; ++rank) {
    rank_of[movable.front()] = rank;
    least = std::min(least, least_period_us(rank_of, us, movable.subspan(1)));
  }
  return least;
}

/// Compares plans with sources and sinks on one rank and on several with all possible divisions.
TEST(Adaptation, finds_better_plans_without_moving_sources_and_sinks) {
  Pipeline pipeline = load(R"(sources:
  s: {type: synthetic, axes: [time=4], rate: 1 kHz}
  r: {type: synthetic, axes: [time=4], rate: 1 kHz}
tasks:
  a: {kernel: spin, input: s, time: 1 ms}
  b: {kernel: spin, input: r, time: 1 ms}
  c: {kernel: sum, input: [a, b]}
  d: {kernel: spin, input: c, time: 1 ms}
sinks: {o: {type: 'null', input: d}, p: {type: 'null', input: b}}
deployment: {ranks: 3}
)");
  pipeline.keep_ends_on_one_rank();
  pipeline.goal.options.effort = 500;
  std::vector<std::size_t> ends, kernels;
  for (std::size_t i = 0; i < pipeline.stages.size(); ++i)
    (pipeline.stages[i].kind == StageKind::kernel ? kernels : ends).push_back(i);
  struct Case {
    std::string_view scheduler;
    /// Costs of sources, kernels and sinks: as planned, and as measured.
    std::initializer_list<int> planned, seen;
  };
  const std::array cases{
      Case{"single", {10, 10, 100, 100, 100, 100, 10, 10}, {10, 10, 2000, 2000, 2000, 3000, 10, 10}},
      Case{"single", {10, 10, 100, 100, 100, 100, 10, 10}, {500, 300, 900, 100, 2000, 400, 200, 400}},
      Case{"greedy", {300, 200, 900, 1500, 100, 700, 200, 100}, {300, 200, 4000, 1500, 3000, 700, 200, 100}},
      Case{"chains", {300, 200, 900, 1500, 100, 700, 200, 100}, {300, 200, 900, 400, 3000, 2700, 200, 100}},
      Case{"chains", {10, 10, 900, 500, 600, 700, 300, 300}, {10, 10, 900, 500, 3000, 3500, 300, 300}}};
  std::size_t apart = 0;
  for (const auto& [scheduler, before, now] : cases) {
    SCOPED_TRACE(scheduler);
    const SharedPlan current = planned_by(scheduler, pipeline, before);
    std::vector<std::size_t> rank_of;
    for (const PlannedStage& stage : current.summary.stages) rank_of.push_back(stage.ranks.front());
    apart += std::ranges::any_of(ends, [&](std::size_t end) { return rank_of[end] != rank_of[ends[0]]; });
    const double now_hz = 1e6 / period_us(rank_of, now);
    // A better plan exists, even with the cost of messages.
    ASSERT_GT(1e6 / least_period_us(rank_of, now, kernels), 1.15 * now_hz);
    const auto changed = adapted_plan(pipeline, current, observed(now, now_hz), 3);
    ASSERT_TRUE(changed);
    for (const std::size_t end : ends)
      EXPECT_EQ(changed->summary.stages[end].ranks, current.summary.stages[end].ranks);
  }
  EXPECT_GE(apart, 2U);
}

TEST(Adaptation, keeps_plans_that_sustain_the_required_rate_and_else_minimises_latency) {
  Pipeline pipeline = chain();
  const SharedPlan current = planned(pipeline, {1, 1000, 1000, 1000, 1});
  const Observed seen = observed({1, 1000, 6000, 1000, 1}, 166);
  const auto fastest = adapted_plan(pipeline, current, seen, 3);
  ASSERT_TRUE(fastest);
  const auto plan_for = [&](double hertz) {
    pipeline.leaves_goal_open = false;
    pipeline.goal.objective = schedulers::Objective::latency;
    pipeline.goal.rate = {1e9 / hertz};
    pipeline.goal.margin = 1;
    return adapted_plan(pipeline, current, seen, 3);
  };
  EXPECT_FALSE(plan_for(150)) << "there is room for a tenth more";
  const auto enough = plan_for(160);
  ASSERT_TRUE(enough);
  EXPECT_GE(enough->summary.predicted_hz, 1.1 * 160);
  EXPECT_LE(enough->summary.predicted_latency_ns, fastest->summary.predicted_latency_ns);
  const auto too_slow = plan_for(1000);
  ASSERT_TRUE(too_slow);
  EXPECT_GE(1.031 * too_slow->summary.predicted_hz, fastest->summary.predicted_hz);
  EXPECT_LE(too_slow->summary.predicted_latency_ns, fastest->summary.predicted_latency_ns);
}

TEST(Adaptation, moves_no_kernel_that_cannot_save_its_state) {
  // A plug-in whose `sums` does not implement `save`: the default returns nothing.
  class Sums final : public Kernel {
   public:
    FrameType configure(std::span<const FrameType> inputs) override { return inputs.front(); }
    Outcome process(std::span<const FrameView>, const FrameBuffer&) override { return Outcome::produced; }
  };
  Pipeline pipeline = chain();
  pipeline.kernels.add(
      {.name = "sums",
       .summary = "",
       .stateless = false,
       .make = [](const Parameters&) -> std::unique_ptr<Kernel> { return std::make_unique<Sums>(); }});
  pipeline.stages[2].type = "sums";
  pipeline.stages[2].stateless = false;
  const SharedPlan current = planned(pipeline, {1, 1000, 1000, 1000, 1});
  std::size_t found = 0;
  for (const int slow : {2000, 4000, 8000}) {
    const auto plan = adapted_plan(pipeline, current, observed({1, slow, 1000, slow, 1}, 1), 3);
    if (!plan) continue;
    ++found;
    for (const std::size_t fixed : {0U, 2U, 4U})
      EXPECT_EQ(plan->summary.stages[fixed].ranks, current.summary.stages[fixed].ranks) << slow;
  }
  EXPECT_GT(found, 0U);
}

}  // namespace
}  // namespace takt::pipeline::test
