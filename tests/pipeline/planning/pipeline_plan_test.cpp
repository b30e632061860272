/// Tests that the schedule of a pipeline is the one that its objective requires.

#include <algorithm>
#include <cmath>
#include <random>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "pipeline/planning/candidates.hpp"
#include "tests/pipeline/config/load.hpp"

namespace takt::pipeline::test {
namespace {

using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::Truly;

/// s 1 ms, three stateless tasks of 5 ms each, o 1 ms: 17 ms per frame in
/// total. A message costs 50 us at each end.
Pipeline pipeline_of(const std::string& settings, const std::string& source_rate = "0 Hz") {
  Pipeline pipeline = load("sources: {s: {type: synthetic, axes: [time=4], rate: " + source_rate + R"(}}
tasks:
  a: {kernel: pass, input: s}
  b: {kernel: pass, input: a}
  c: {kernel: pass, input: b}
sinks:
  o: {type: 'null', input: c}
deployment: {ranks: 3}
)" + settings);
  // Like a sink that writes a file.
  pipeline.stages.back().stateless = false;
  return pipeline;
}

std::vector<StageCost> costs_of(const Pipeline& pipeline) {
  std::vector<StageCost> costs;
  for (const Stage& stage : pipeline.stages)
    costs.push_back(
        {.stage = stage.name, .cost = std::chrono::milliseconds(stage.kind == StageKind::kernel ? 5 : 1)});
  return costs;
}

PipelinePlan plan_of(const std::string& settings, const std::string& source_rate = "0 Hz",
                     const std::string& machine = "logp:P=3,L=100000,o=50000,g=50000",
                     std::optional<std::size_t> shared_cores = {}) {
  const Pipeline pipeline = pipeline_of(settings, source_rate);
  logp::Machine place = logp::parse_machine(machine);
  if (shared_cores) {
    Platform platform = place.platform();
    platform.node_of.assign(platform.processor_count(), 0);
    platform.cluster_of_node = {0};
    place = logp::Machine(std::move(platform), place.level_costs());
  }
  return plan_pipeline(pipeline, costs_of(pipeline), {std::move(place), shared_cores.value_or(3)});
}

TEST(PipelinePlan, has_the_least_latency_that_holds_the_rate_with_the_margin) {
  // 50 Hz with a margin of 1.25 is a frame every 16 ms. One rank is too slow;
  // two need one message: 17 ms and o + L + o = 0.2 ms.
  const PipelinePlan plan = plan_of("rate: 50 Hz\n");
  const ScheduleMetrics metrics = measure(plan.schedule());
  EXPECT_EQ(plan.summary.objective, "latency");
  EXPECT_LE(metrics.repetition, std::chrono::milliseconds(16));
  EXPECT_EQ(metrics.latency, std::chrono::microseconds(17'200));
  EXPECT_EQ(metrics.processors_used, 2U);
  EXPECT_EQ(plan.schedule().replicas, 1U);
  EXPECT_THAT(plan.summary.notes, IsEmpty());
}

TEST(PipelinePlan, holds_a_required_latency_or_reports_what_would_fit) {
  // On two ranks a frame takes 17.2 ms, on one 17 ms, but that one holds 58.8 Hz only.
  const PipelinePlan held = plan_of("rate: 50 Hz\nlatency: 17.2 ms\n");
  EXPECT_EQ(holds_latency(held.summary), true);
  EXPECT_EQ(held.summary.latency_quantile, "p99");
  EXPECT_EQ(measure(held.schedule()).processors_used, 2U);
  // The rate without the margin is held by one rank.
  const PipelinePlan tight = plan_of("rate: 50 Hz\nlatency: 17.1 ms\n");
  EXPECT_EQ(holds_latency(tight.summary), true);
  EXPECT_EQ(measure(tight.schedule()).processors_used, 1U);
  const PipelinePlan missed = plan_of("rate: 50 Hz\nlatency: {max: 16 ms}\n");
  EXPECT_EQ(holds_latency(missed.summary), false);
  EXPECT_THAT(missed.summary.notes,
              Contains(HasSubstr("no plan found holds 50 Hz with a latency of at most 16 ms: the least "
                                 "predicted latency at 50 Hz is 17 ms")));
  EXPECT_THAT(notes_of(missed.summary), Contains(HasSubstr("is above the required 16 ms")));
  EXPECT_EQ(holds_latency(plan_of("rate: 50 Hz\n").summary), std::nullopt);
  // At a low load one rank starts at once, unless it is late.
  EXPECT_EQ(measure(plan_of("rate: 25 Hz\nlatency: 17 ms\n").schedule()).processors_used, 1U);
}

/// 80 Hz with a margin of 1.25 is a frame every 10 ms: two ranks that take alternate frames, 17 ms each, or
/// three ranks in a chain with two messages.
TEST(PipelinePlan, has_one_frame_per_iteration_when_several_save_little_latency) {
  const auto plan_with = [](const std::string& machine) {
    Pipeline pipeline = pipeline_of("rate: 80 Hz\n", "80 Hz");
    pipeline.stages.back().stateless = true;
    return plan_pipeline(pipeline, costs_of(pipeline), {logp::parse_machine(machine), 3});
  };
  const PipelinePlan chain = plan_with("logp:P=3,L=100000,o=50000,g=50000");
  EXPECT_EQ(chain.summary.objective, "latency");
  EXPECT_EQ(chain.schedule().replicas, 1U);
  EXPECT_EQ(measure(chain.schedule()).latency, std::chrono::microseconds(17'400));
  // Two ranks with alternate frames need 19.1 ms, the chain 21.2 ms.
  const PipelinePlan slow = plan_with("logp:P=3,L=100000,o=1000000,g=1000000");
  EXPECT_EQ(slow.schedule().replicas, 1U);
  EXPECT_EQ(measure(slow.schedule()).latency, std::chrono::microseconds(21'200));
}

/// The candidates include a plan of one rank and the fastest plan.
TEST(PipelinePlan, has_simpler_and_faster_candidates_for_an_uncertain_rate) {
  const auto candidates_of = [](const std::string& settings, const std::string& source_rate) {
    const Pipeline pipeline = pipeline_of(settings, source_rate);
    return candidate_plans(pipeline, costs_of(pipeline),
                           {logp::parse_machine("logp:P=3,L=100000,o=50000,g=50000"), 3, true});
  };
  const double fastest = plan_of("objective: frequency\n").summary.predicted_hz;
  for (const auto& [settings, source_rate] : {std::pair("rate: 50 Hz\n", "0 Hz"), {"", "50 Hz"}}) {
    const std::vector<PipelinePlan> plans = candidates_of(settings, source_rate);
    ASSERT_GE(plans.size(), 3U) << settings;
    ASSERT_LE(plans.size(), 6U) << settings;
    EXPECT_TRUE(plans.front().plan.holds_margin);
    EXPECT_EQ(best_by_costs(pipeline_of(settings, source_rate), plans), 0U);
    EXPECT_THAT(plans, Contains(Truly([](const PipelinePlan& plan) {
                  return measure(plan.schedule()).processors_used == 1;
                })));
    EXPECT_GE(plans.back().summary.predicted_hz, fastest);
    for (const PipelinePlan& plan : plans) EXPECT_EQ(plan.summary.objective, "latency");
  }
  EXPECT_THAT(candidates_of("rate: 50 Hz\nscheduler: greedy\n", "0 Hz"), SizeIs(1));
}

/// The tasks with state take 500, 1000 and 500 us. Two ranks of free messages complete a frame every 1000 us
/// if the first one begins a frame before it ends an earlier one, and every 1500 us otherwise.
TEST(PipelinePlan, has_a_pipelined_candidate_where_it_is_faster) {
  const auto plans_for = [](const std::string& settings, double rate) {
    Pipeline pipeline = load(fmt::format(R"(sources: {{s: {{type: synthetic, axes: [time=8], rate: {} Hz}}}}
tasks:
  a: {{kernel: spin, input: s, time: 500 us, state: true}}
  b: {{kernel: spin, input: a, time: 1 ms, state: true}}
  c: {{kernel: spin, input: b, time: 500 us, state: true}}
sinks:
  o: {{type: 'null', input: c}}
deployment: {{ranks: 2}}
{})",
                                         rate, settings));
    pipeline.keep_ends_on_one_rank();
    std::vector<StageCost> costs;
    for (const Stage& stage : pipeline.stages)
      costs.push_back({.stage = stage.name,
                       .cost = std::chrono::microseconds(stage.name == "b"                        ? 1000
                                                         : stage.name == "a" || stage.name == "c" ? 500
                                                                                                  : 0)});
    return candidate_plans(pipeline, costs, {logp::parse_machine("logp:P=2,L=0,o=0,g=0"), 2});
  };
  for (const auto& [settings, rate] : {std::pair("", 0), {"rate: 950 Hz\n", 0}, {"", 950}}) {
    const std::vector<PipelinePlan> plans = plans_for(settings, rate);
    const auto pipelined =
        std::ranges::find_if(plans, [](const PipelinePlan& plan) { return plan.summary.is_pipelined; });
    ASSERT_NE(pipelined, plans.end()) << settings;
    EXPECT_NEAR(pipelined->summary.predicted_hz, 1000, 1e-6);
    EXPECT_THAT(names_of({&pipelined->summary}), ElementsAre("optfo on 2 ranks, pipelined"));
    for (const PipelinePlan& plan : plans)
      if (!plan.summary.is_pipelined) {
        EXPECT_LT(plan.summary.predicted_hz, 950);
      }
  }
  // One rank alone holds 450 Hz.
  EXPECT_FALSE(plans_for("rate: 400 Hz\n", 0).front().summary.is_pipelined);
}

TEST(PipelinePlan, has_one_rank_at_a_low_load) {
  // 17 ms per frame: at 25 Hz one rank is 43 % busy.
  const auto plan_at = [](const std::string& settings) {
    const Pipeline pipeline = pipeline_of(settings);
    return plan_for_low_load(pipeline, costs_of(pipeline), {logp::parse_machine("logp:P=3,L=0,o=0,g=0"), 3});
  };
  const std::optional<PipelinePlan> plan = plan_at("rate: 25 Hz\n");
  ASSERT_TRUE(plan);
  EXPECT_EQ(measure(plan->schedule()).processors_used, 1U);
  EXPECT_NEAR(plan->summary.predicted_hz, 1 / 0.017, 1e-6);
  EXPECT_FALSE(plan_at("rate: 30 Hz\n"));
  EXPECT_FALSE(plan_at(""));
  EXPECT_FALSE(plan_at("rate: 25 Hz\nscheduler: optfo\n"));
  EXPECT_FALSE(plan_at("rate: 25 Hz\nobjective: latency\n"));
  EXPECT_TRUE(plan_at("rate: 25 Hz\nobjective: processors\n"));
}

/// Two tasks of 4 ms each run concurrently, or one after another without a message.
TEST(PipelinePlan, has_a_candidate_for_slower_links) {
  const Pipeline pipeline = load(R"(sources: {s: {type: synthetic, element: float32, axes: [row=8, column=8]}}
tasks:
  a: {kernel: pass, input: s}
  b: {kernel: pass, input: s}
  c: {kernel: matrix_product, inputs: [a, b]}
sinks:
  o: {type: 'null', input: c}
deployment: {ranks: 2}
rate: 50 Hz
)");
  std::vector<StageCost> costs;
  for (const Stage& stage : pipeline.stages)
    costs.push_back({.stage = stage.name,
                     .cost = std::chrono::milliseconds(stage.name == "a" || stage.name == "b" ? 4 : 1)});
  const auto plans_with = [&](const std::string& machine) {
    return candidate_plans(pipeline, costs, {logp::parse_machine(machine), 2, true});
  };
  const std::string measured = "logp:P=2,L=100000,o=800000,g=800000";
  const std::vector<PipelinePlan> plans = plans_with(measured);
  ASSERT_GE(plans.size(), 2U);
  EXPECT_EQ(measure(plans[0].schedule()).processors_used, 2U);
  EXPECT_EQ(measure(plans[1].schedule()).processors_used, 1U);
  // Its figures are those with the measured links.
  EXPECT_EQ(plans[1].machine, logp::parse_machine(measured));
  EXPECT_EQ(plans[1].summary.predicted_latency_ns, 11'000'000);
}

/// Three ranks on two cores are oversubscribed, and the latency of a frame is unpredictable.
TEST(PipelinePlan, has_at_most_one_rank_per_core_for_the_least_latency) {
  const std::string links = "logp:P=3,L=100000,o=50000,g=50000";
  const auto ranks_of = [&](std::size_t cores) {
    return measure(plan_of("rate: 80 Hz\n", "0 Hz", links, cores).schedule()).processors_used;
  };
  EXPECT_EQ(ranks_of(3), 3U);
  EXPECT_EQ(ranks_of(2), 2U);
}

TEST(PipelinePlan, plans_for_the_rate_of_the_source) {
  // Like `rate: 50 Hz`, but without a requirement.
  const PipelinePlan plan = plan_of("", "50 Hz");
  EXPECT_EQ(plan.summary.objective, "latency");
  EXPECT_EQ(measure(plan.schedule()).latency, std::chrono::microseconds(17'200));
  EXPECT_EQ(plan.schedule().replicas, 1U);
  EXPECT_FALSE(plan.summary.required_hz);
  // An explicit objective has precedence, and a source without a rate delivers as fast as possible.
  EXPECT_EQ(plan_of("objective: frequency\n", "50 Hz").summary.objective, "frequency");
  EXPECT_EQ(plan_of("", "0 Hz").summary.objective, "frequency");
}

TEST(PipelinePlan, has_one_rank_when_several_are_hardly_faster) {
  const std::string expensive = "logp:P=3,L=0,o=14500000,g=14500000";
  const double several = plan_of("scheduler: optfo\n", "0 Hz", expensive).summary.predicted_hz;
  ASSERT_GT(several, 1.05 / 0.017);
  ASSERT_LT(several, 1.15 / 0.017);
  const PipelinePlan plan = plan_of("", "0 Hz", expensive);
  EXPECT_EQ(measure(plan.schedule()).processors_used, 1U);
  EXPECT_NEAR(plan.summary.predicted_hz, 1 / 0.017, 1e-6);
  EXPECT_THAT(plan.summary.notes, ElementsAre(HasSubstr("costs cannot rank such plans")));
  EXPECT_GT(measure(plan_of("").schedule()).processors_used, 1U);
}

TEST(PipelinePlan, has_a_candidate_for_faster_links_when_measured_ones_leave_one_rank) {
  const auto ranks_of = [](const std::string& machine, bool links_are_measured,
                           const std::string& settings = "") {
    const Pipeline pipeline = pipeline_of(settings);
    std::vector<std::size_t> ranks;
    for (const PipelinePlan& plan :
         candidate_plans(pipeline, costs_of(pipeline), {logp::parse_machine(machine), 3, links_are_measured}))
      ranks.push_back(measure(plan.schedule()).processors_used);
    return ranks;
  };
  const std::string slow = "logp:P=3,L=0,o=20000000,g=20000000";
  EXPECT_THAT(ranks_of(slow, true), ElementsAre(1, AnyOf(2, 3)));
  EXPECT_THAT(ranks_of(slow, false), ElementsAre(1));
  EXPECT_THAT(ranks_of(slow, true, "scheduler: optfo\n"), SizeIs(1));
  EXPECT_THAT(ranks_of("logp:P=3,L=0,o=200000000,g=200000000", true), ElementsAre(1));
}

TEST(PipelinePlan, notes_that_its_latency_needs_one_core_per_rank) {
  const auto notes = [](std::size_t cores) {
    const PipelinePlan plan = plan_of("scheduler: chains\n", "0 Hz", "logp:P=3,L=100,o=100,g=100", cores);
    EXPECT_EQ(measure(plan.schedule()).processors_used, 3U);
    return plan.summary.notes;
  };
  EXPECT_THAT(notes(3), IsEmpty());
  EXPECT_THAT(notes(2), ElementsAre(HasSubstr("one core per rank, but 3 ranks share 2")));
}

/// Ranks 0 and 1 on one node, rank 2 on another, one core per node. 17 ms per frame on three ranks take 11.3
/// ms when the first two share a core, and 8.5 ms on two ranks.
TEST(PipelinePlan, leaves_ranks_idle_instead_of_sharing_a_core) {
  const auto plan_on_two_nodes = [](const std::string& settings, std::size_t cores, double other_node = 1) {
    const Pipeline pipeline = pipeline_of(settings);
    std::vector<StageCost> costs = costs_of(pipeline);
    for (StageCost& cost : costs)
      if (other_node != 1)
        cost.by_rank = {{cost.cost},
                        {cost.cost},
                        {Time(std::llround(other_node * static_cast<double>(cost.cost.count())))}};
    const logp::Machine flat = logp::parse_machine("logp:P=3,L=100,o=100,g=100");
    Platform platform = flat.platform();
    platform.node_of = {0, 0, 1};
    platform.cluster_of_node = {0, 0};
    return plan_pipeline(pipeline, costs, {logp::Machine(std::move(platform), flat.level_costs()), cores});
  };
  const PipelinePlan apart = plan_on_two_nodes("", 1);
  EXPECT_NEAR(apart.summary.predicted_hz, 2 / 0.017, 5);
  EXPECT_THAT(apart.schedule().processors[1], IsEmpty());
  EXPECT_FALSE(apart.schedule().processors[0].empty());
  EXPECT_FALSE(apart.schedule().processors[2].empty());
  EXPECT_EQ(apart.summary.ranks, 3U);
  EXPECT_THAT(plan_on_two_nodes("objective: frequency\n", 1).schedule().processors[1], IsEmpty());
  // With a margin of a fifth, 88 Hz are too few for the rate, and 117 Hz suffice.
  EXPECT_TRUE(plan_on_two_nodes("rate: 90 Hz\n", 1).plan.holds_margin);
  // Three of five frames on one node, two on the other one, where a frame takes 1.5 times as long.
  const PipelinePlan unlike = plan_on_two_nodes("", 1, 1.5);
  EXPECT_GE(unlike.summary.predicted_hz, 5 / 0.051 / 1.15);
  EXPECT_THAT(unlike.schedule().processors[1], IsEmpty());
  // All ranks are used when each has a core, or when the user names a scheduler.
  EXPECT_THAT(plan_on_two_nodes("", 2).schedule().processors[1], Not(IsEmpty()));
  EXPECT_THAT(plan_on_two_nodes("scheduler: optfo\n", 1).schedule().processors[1], Not(IsEmpty()));
}

TEST(PipelinePlan, accepts_other_margins) {
  // A period of 20 ms is sufficient for one rank.
  const ScheduleMetrics metrics = measure(plan_of("rate: 50 Hz\nobjective: {margin: 1}\n").schedule());
  EXPECT_EQ(metrics.latency, std::chrono::milliseconds(17));
  EXPECT_EQ(metrics.processors_used, 1U);
}

TEST(PipelinePlan, has_the_fewest_ranks_with_objective_processors) {
  // A frame every 10 ms: two ranks with alternate frames reach 8.5 ms and a message; one is too slow.
  const PipelinePlan plan = plan_of("rate: 80 Hz\nobjective: processors\n");
  EXPECT_EQ(plan.summary.objective, "processors");
  EXPECT_EQ(measure(plan.schedule()).processors_used, 2U);
  EXPECT_LE(measure(plan.schedule()).period(), 10e6);
}

TEST(PipelinePlan, falls_back_to_almost_the_highest_frequency_with_a_note) {
  const PipelinePlan plan = plan_of("rate: 1 kHz\n");
  EXPECT_EQ(plan.summary.objective, "frequency");
  EXPECT_EQ(plan.summary.scheduler, "optfo");
  EXPECT_THAT(
      notes_of(plan.summary),
      IsSupersetOf({HasSubstr("the required rate of 1 kHz is above the predicted"),
                    HasSubstr("no schedule found holds 1 kHz with a margin of 1.25"), HasSubstr("remedy")}));
  // A trial run may find more, with or without the margin.
  RunPlan tried = plan.summary;
  tried.predicted_hz = 1100;
  EXPECT_THAT(notes_of(tried), Contains(HasSubstr("with a margin of 1.25")));
  EXPECT_THAT(notes_of(tried), Not(Contains(AnyOf(HasSubstr("above the predicted"), HasSubstr("remedy")))));
  tried.predicted_hz = 1300;
  EXPECT_EQ(notes_of(tried), tried.notes);
  const ScheduleMetrics own = measure(plan.schedule());
  const ScheduleMetrics fastest = measure(plan_of("objective: frequency\n").schedule());
  EXPECT_LE(own.period(), fastest.period() * 1.03);
}

TEST(PipelinePlan, obeys_a_named_scheduler) {
  for (const char* name : {"single", "basic_fo"}) {
    const PipelinePlan plan = plan_of(fmt::format("rate: 50 Hz\nscheduler: {}\n", name));
    EXPECT_EQ(plan.summary.scheduler, name);
    EXPECT_EQ(plan.summary.objective, "frequency");
  }
}

/// Returns a plan of s, a data-parallel task of 12 ms, and o; `two` and `three` are the times of groups.
PipelinePlan plan_of_groups(const std::string& kernel, Time two, Time three,
                            const std::string& settings = "") {
  const Pipeline pipeline =
      load(R"(sources: {s: {type: synthetic, element: float32, axes: [row=64, column=64]}}
tasks:
  a: {kernel: )" +
           kernel + R"(, input: s}
sinks:
  o: {type: 'null', input: a}
deployment: {ranks: 3}
)" + settings);
  const std::vector<StageCost> costs{
      {.stage = "s", .cost = std::chrono::microseconds(10)},
      {.stage = "a", .cost = std::chrono::milliseconds(12), .groups = {{2, two}, {3, three}}},
      {.stage = "o", .cost = std::chrono::microseconds(10)}};
  return plan_pipeline(pipeline, costs, {logp::parse_machine("logp:P=3,L=10000,o=5000,g=5000"), 3});
}

TEST(PipelinePlan, has_no_groups_when_copies_on_single_ranks_are_as_fast) {
  // Three frames in parallel on three ranks: 4 ms per frame, which no group improves.
  const PipelinePlan plan =
      plan_of_groups("power_iteration", std::chrono::milliseconds(6), std::chrono::milliseconds(4));
  EXPECT_NE(plan.summary.scheduler, "mixed_fo");
  EXPECT_EQ(plan.summary.stages[1].group, 1U);
  EXPECT_LE(measure(plan.schedule()).period(), 4.1e6);
}

TEST(PipelinePlan, has_groups_on_request_or_when_they_are_measured_to_be_faster) {
  const PipelinePlan named = plan_of_groups("power_iteration", std::chrono::milliseconds(6),
                                            std::chrono::milliseconds(4), "scheduler: m_heft\n");
  EXPECT_EQ(named.summary.stages[1].group, 3U);
  EXPECT_EQ(named.summary.stages[1].cost_ns, 4'000'000);
  // A group that is slower than one rank is not used, even on request.
  const PipelinePlan slow = plan_of_groups("power_iteration", std::chrono::milliseconds(13),
                                           std::chrono::milliseconds(14), "scheduler: m_heft\n");
  EXPECT_EQ(slow.summary.stages[1].group, 1U);
  // A kernel that is not data-parallel has no groups, regardless of the costs.
  EXPECT_EQ(plan_of_groups("clip, low: 0", std::chrono::milliseconds(6), std::chrono::milliseconds(4),
                           "scheduler: m_heft\n")
                .summary.stages[1]
                .group,
            1U);
}

TEST(PipelinePlan, is_never_slower_with_costs_of_groups) {
  for (std::uint64_t seed = 1; seed <= 16; ++seed) {
    std::mt19937_64 random(seed);
    Pipeline pipeline = load(R"(sources: {s: {type: synthetic, element: float32, axes: [row=64, column=64]}}
tasks:
  a: {kernel: matrix_product, inputs: [s, s]}
  b: {kernel: matrix_product, inputs: [a, s]}
  c: {kernel: power_iteration, input: b}
sinks:
  o: {type: 'null', input: c}
deployment: {ranks: 4}
)");
    std::vector<StageCost> costs, without;
    pipeline.keep_ends_on_one_rank();
    for (Stage& stage : pipeline.stages) {
      // Groups help kernels with state, which cannot have copies.
      if (stage.kind == StageKind::kernel) stage.stateless = random() % 2 == 0;
      StageCost cost{.stage = stage.name, .cost = Time(1000 + random() % 10'000'000)};
      without.push_back(cost);
      if (stage.distribution)
        for (std::uint32_t p = 2; p <= 4; ++p)
          cost.groups.push_back({p, Time(cost.cost.count() / p + random() % (1 + cost.cost.count() / 2))});
      costs.push_back(cost);
    }
    const Surroundings surroundings{logp::parse_machine("logp:P=4,L=100000,o=50000,g=50000"), 4};
    const PipelinePlan with = plan_pipeline(pipeline, costs, surroundings);
    const PipelinePlan alone = plan_pipeline(pipeline, without, surroundings);
    // A simpler plan up to 1.15 times slower may be chosen, since costs do not
    // distinguish it from a faster one.
    EXPECT_GE(with.summary.predicted_hz, alone.summary.predicted_hz / 1.15 * (1 - 1e-9)) << seed;
    // The schedule file contains the whole plan.
    const PipelinePlan again = plan_from_yaml(to_yaml(with), "s.yaml", pipeline, 4);
    EXPECT_EQ(again.schedule(), with.schedule()) << seed;
  }
}

TEST(Objective, is_the_least_latency_with_a_required_rate_and_without_a_scheduler) {
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

TEST(Objective, must_be_meaningful) {
  EXPECT_THAT(
      errors_in(good_pipeline + "objective: latency\n"),
      ElementsAre(
          "p.yaml:9:12: objective 'latency' needs the required rate: expected for example 'rate: 50 Hz'"));
  EXPECT_THAT(errors_in(good_pipeline + "rate: 5 Hz\nscheduler: greedy\nobjective: latency\n"),
              ElementsAre(HasSubstr("p.yaml:11:12: objective 'latency' chooses from many schedulers")));
  EXPECT_THAT(errors_in(good_pipeline + "rate: 5 Hz\nobjective: latncy\n"),
              ElementsAre(HasSubstr("did you mean 'latency'?")));
  EXPECT_THAT(errors_in(good_pipeline + "rate: 5 Hz\nobjective: {margin: 0.5}\n"),
              ElementsAre(HasSubstr("margin")));
}

}  // namespace
}  // namespace takt::pipeline::test
