/// Does the simulation agree with hand calculations: queues, losses, the bottleneck, and the smallest period?

#include "logp/simulation.hpp"

#include <random>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "core/error.hpp"
#include "core/graphs/generators.hpp"
#include "logp/period.hpp"
#include "logp/timing.hpp"
#include "tests/logp/allocate.hpp"

namespace takt::logp {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

/// One task of 10 ticks on one processor.
class OneTask : public ::testing::Test {
 protected:
  SimulationResult run(const SimulationOptions& options) const {
    return simulate(graph_, machine_, schedule_, options);
  }
  const TaskGraph graph_ = generate("chain:depth=0,cost=10");
  const Machine machine_ = parse_machine("logp:P=1");
  const Schedule schedule_ = time_task_messages(graph_, machine_, allocate({{0}}));
};

TEST_F(OneTask, without_a_limit_runs_back_to_back) {
  const SimulationResult result = run({.frames = 100});
  EXPECT_EQ(result.delivered, 100U);
  EXPECT_EQ(result.duration, Time{1000});
  EXPECT_EQ(result.sustained_period, 10.0);
  EXPECT_THAT(result.latencies, Each(Time{10}));
  EXPECT_THAT(result.bottleneck, StartsWith("processor 0, busy 100.0 %"));
}

TEST_F(OneTask, does_not_wait_at_half_its_rate) {
  const SimulationResult result = run({.frames = 100, .frame_interval = 20});
  EXPECT_EQ(result.lost, 0U);
  EXPECT_EQ(result.sustained_period, 20.0);
  EXPECT_THAT(result.latencies, Each(Time{10}));
  EXPECT_EQ(result.mean_input_queue, 0.0);
  EXPECT_EQ(result.processors[0].input_wait, Time{99 * 10});
  EXPECT_THAT(result.bottleneck, StartsWith("the input"));
}

TEST_F(OneTask, loses_every_second_frame_at_twice_its_rate) {
  // Frames arrive every 5 and leave every 10: the 4 places fill up, then one of two is lost. A frame on the
  // last place waits for the other three and the rest of the current one: 3 * 10 + (0 or 5), and takes 10
  // itself.
  const SimulationResult result = run({.frames = 1000, .frame_interval = 5, .input_places = 4});
  EXPECT_EQ(result.ingested, 1000U);
  EXPECT_EQ(result.ingested, result.delivered + result.lost);
  EXPECT_NEAR(static_cast<double>(result.lost), 500, 5);
  EXPECT_EQ(result.sustained_period, 10.0);
  EXPECT_EQ(result.most_input_queue, 4U);
  EXPECT_LE(result.latencies.back(), Time{3 * 10 + 10 + 10});
  EXPECT_GE(result.latencies.back(), Time{3 * 10 + 10});
  EXPECT_THAT(result.bottleneck, StartsWith("processor 0"));
}

TEST_F(OneTask, that_is_slow_takes_proportionally_longer) {
  EXPECT_EQ(run({.frames = 100, .slowness = {1.3}}).sustained_period, 13.0);
}

TEST_F(OneTask, with_jitter_takes_longer_by_half_of_it_on_average) {
  // Uniform in 0..8: mean 4, standard deviation of the mean of 50000 is 2.6 / sqrt(50000) = 0.012.
  const SimulationResult result = run({.frames = 100000, .jitter = Time{8}});
  EXPECT_NEAR(*result.sustained_period, 14.0, 0.06);
  EXPECT_EQ(result.latencies.front(), Time{10});
  EXPECT_EQ(result.latencies.back(), Time{18});
  EXPECT_EQ(result.latency_quantile(0.5), Time{14});
}

TEST_F(OneTask, is_reproducible_for_the_same_seed_only) {
  const SimulationOptions options{.frames = 1000, .jitter_share = 0.5, .drift = 0.2, .seed = 3};
  SimulationOptions other = options;
  other.seed = 4;
  EXPECT_EQ(run(options).duration, run(options).duration);
  EXPECT_NE(run(options).duration, run(other).duration);
}

TEST_F(OneTask, that_drifts_stays_within_the_range) {
  const SimulationResult result = run({.frames = 20000, .drift = 0.5});
  EXPECT_GE(result.latencies.front(), Time{10});
  EXPECT_LE(result.latencies.back(), Time{15});
  EXPECT_GE(result.latencies.back(), Time{14});
}

/// A source of 1 tick on processor 0 that feeds a task of 10 ticks on processor 1; L = o = 0, g = 0.
class FastAndSlow : public ::testing::Test {
 protected:
  static TaskGraph make_graph() {
    TaskGraphBuilder builder;
    const TaskId a = builder.add_task({"fast", Time{1}}), b = builder.add_task({"slow", Time{10}});
    builder.add_edge(a, b, Bytes{1});
    return std::move(builder).build();
  }
  const TaskGraph graph_ = make_graph();
  const Machine machine_ = parse_machine("logp:P=2");
  const Schedule schedule_ = time_task_messages(graph_, machine_, allocate({{0}, {1}}));
};

TEST_F(FastAndSlow, a_sender_is_ahead_by_its_buffers_and_no_more) {
  for (std::uint64_t buffers : {1U, 2U, 5U}) {
    const SimulationResult result =
        simulate(graph_, machine_, schedule_, {.frames = 1000, .buffers = buffers});
    EXPECT_EQ(result.sustained_period, 10.0);
    ASSERT_EQ(result.channels.size(), 1U);
    EXPECT_EQ(result.channels[0].most, buffers);
    EXPECT_NEAR(result.channels[0].mean, static_cast<double>(buffers), 0.05);
    EXPECT_GT(result.processors[0].room_wait, Time{8000});
  }
}

TEST_F(FastAndSlow, accounts_waiting_for_messages_to_the_receiver) {
  const SimulationResult result = simulate(graph_, machine_, schedule_, {.frames = 100, .slowness = {30, 1}});
  EXPECT_EQ(result.sustained_period, 30.0);
  EXPECT_EQ(result.processors[1].message_wait, Time{99 * 20});
  EXPECT_THAT(result.bottleneck, StartsWith("processor 0"));
}

TEST(Simulation, sustains_the_smallest_period_of_the_order) {
  std::mt19937_64 random(5);
  for (std::string_view shape : {"diamond:depth=2,cost=1..9", "fft:depth=3,cost=1..20,data=3",
                                 "layered:tasks=20,jump=2,cost=1..9,data=1..5"})
    for (const char* machine_text :
         {"logp:P=3", "logp:P=2,L=3,o=1,g=0", "delay:P=3", "loglinear:P=3,L=2+1,o=1+1,g=0"})
      for (int seed = 1; seed <= 10; ++seed) {
        const TaskGraph graph = generate(fmt::format("{},seed={}", shape, seed));
        const Machine machine = parse_machine(machine_text);
        Allocation allocation{std::vector<std::vector<TaskId>>(machine.processor_count())};
        for (TaskId task : graph.topological_order())
          allocation.order[random() % machine.processor_count()].push_back(task);
        const Schedule schedule = time_task_messages(graph, machine, allocation);
        const auto smallest = static_cast<double>(least_repetition(machine, schedule).count());
        const SimulationResult result = simulate(graph, machine, schedule, {.frames = 4000, .buffers = 100});
        // The smallest integer period is the sustained one rounded up.
        EXPECT_LE(*result.sustained_period, smallest + 1e-9) << shape << " " << machine_text << " " << seed;
        EXPECT_GT(*result.sustained_period, smallest - 1 - 1e-9)
            << shape << " " << machine_text << " " << seed;
      }
}

TEST(Simulation, with_ample_time_has_the_makespan_as_latency) {
  const TaskGraph graph = generate("chain:depth=2,cost=2");
  const Machine machine = parse_machine("logp:P=3,L=1,o=1,g=2");
  const Schedule schedule = time_task_messages(graph, machine, allocate({{0}, {1}, {2}}));
  const SimulationResult result = simulate(graph, machine, schedule, {.frames = 50, .frame_interval = 12.5});
  EXPECT_THAT(result.latencies, Each(measure(schedule).makespan));
  EXPECT_EQ(measure(schedule).makespan, Time{12});
}

/// 3 processors with a task of 2 each: the message between two takes o + L + o.
TEST(Simulation, records_the_latency_to_each_watched_task) {
  const TaskGraph graph = generate("chain:depth=2,cost=2");
  const Machine machine = parse_machine("logp:P=3,L=1,o=1,g=2");
  const Schedule schedule = time_task_messages(graph, machine, allocate({{0}, {1}, {2}}));
  const SimulationResult result = simulate(
      graph, machine, schedule, {.frames = 50, .frame_interval = 12.5, .watched = {TaskId(2), TaskId(1)}});
  ASSERT_EQ(result.latencies_to.size(), 2U);
  EXPECT_EQ(result.latencies_to[0], result.latencies);
  EXPECT_THAT(result.latencies_to[1], AllOf(SizeIs(50), Each(Time{2 + 3 + 2})));
  EXPECT_EQ(SimulationResult::quantile(result.latencies_to[1], 0.5), Time{7});
}

TEST(Simulation, of_two_replicas_delivers_two_frames_per_iteration) {
  TaskGraphBuilder builder;
  (void)builder.add_task({"t", Time{10}, true});
  const TaskGraph graph = std::move(builder).build();
  Schedule schedule("hand", 2);
  schedule.replicas = 2;
  schedule.add_compute(ProcessorId(0), TaskId(0), Time{0}, Time{10}, 0);
  schedule.add_compute(ProcessorId(1), TaskId(0), Time{5}, Time{15}, 1);
  const Machine machine = parse_machine("logp:P=2");
  const SimulationResult saturated = simulate(graph, machine, schedule, {.frames = 101});
  EXPECT_EQ(saturated.delivered, 101U);
  EXPECT_EQ(saturated.duration, Time{510});
  const SimulationResult limited = simulate(graph, machine, schedule, {.frames = 100, .frame_interval = 5});
  EXPECT_EQ(limited.lost, 0U);
  EXPECT_THAT(limited.latencies, Each(Time{10}));
}

TEST(Simulation, divides_links_among_messages) {
  // a and b, 1 tick each, send 4 units to c and d over the one link from the switch: 4 ticks to it, in
  // parallel, then 4 each in sequence. So the period is at least 8 ticks.
  TaskGraphBuilder builder;
  const TaskId a = builder.add_task({"a", Time{1}}), b = builder.add_task({"b", Time{1}});
  const TaskId c = builder.add_task({"c", Time{1}}), d = builder.add_task({"d", Time{1}});
  builder.add_edge(a, c, Bytes{4});
  builder.add_edge(b, d, Bytes{4});
  const TaskGraph graph = std::move(builder).build();
  Platform platform = Platform::uniform(4);
  platform.node_of = {0, 1, 2, 2};
  platform.cluster_of_node = {0, 0, 0, 0};
  platform.network.node_count = 4;
  for (std::size_t end : {0, 1, 2}) platform.network.connect(NodeId(3), NodeId(end), 0, 1);
  const Machine machine(platform, LinkCosts{});
  const Schedule schedule =
      time_task_messages(graph, machine, allocate({{0}, {1}, {2}, {3}}), {.routed = true});
  EXPECT_EQ(measure(schedule).makespan, Time{1 + 4 + 4 + 4 + 1});
  const SimulationResult result = simulate(graph, machine, schedule, {.frames = 1000});
  EXPECT_EQ(result.sustained_period, 8.0);
  // Links 1 and 3 go up to the switch, link 4 goes down from it.
  ASSERT_EQ(result.links.size(), 3U);
  EXPECT_EQ(result.links[2].link, LinkId(4));
  EXPECT_EQ(result.links[2].busy, Time{8 * 1000});
  EXPECT_THAT(result.bottleneck, StartsWith("link 4, busy"));
  EXPECT_THAT(simulate(graph, machine, schedule, {.frames = 1000, .frame_interval = 8}).latencies,
              Each(Time{14}));
}

TEST(Simulation, on_a_network_keeps_the_schedules_own_period) {
  for (const char* network : {"mesh:2x3", "ring:6", "star:7"})
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const TaskGraph graph =
          generate(fmt::format("layered:tasks=30,jump=3,cost=1..30,data=1..9,seed={}", seed));
      const Machine machine = parse_machine(fmt::format("logp:P=6,o=1,g=2,network={},link=3+1", network));
      std::mt19937_64 random(seed);
      Allocation allocation{std::vector<std::vector<TaskId>>(6)};
      for (TaskId task : graph.topological_order()) allocation.order[random() % 6].push_back(task);
      const Schedule schedule = time_task_messages(graph, machine, allocation, {.routed = true});
      const double period = measure(schedule).period();
      const SimulationOptions saturated{.frames = 2000, .buffers = 2000};
      EXPECT_LE(*simulate(graph, machine, schedule, saturated).sustained_period, period + 1e-9)
          << network << seed;
      const SimulationOptions own_rate{
          .frames = 2000, .frame_interval = period, .input_places = 2, .buffers = 2000};
      const SimulationResult result = simulate(graph, machine, schedule, own_rate);
      EXPECT_EQ(result.lost, 0U) << network << seed;
      EXPECT_NEAR(*result.sustained_period, period, 0.05) << network << seed;
      EXPECT_LE(result.latencies.back(), measure(schedule).makespan) << network << seed;
    }
}

TEST_F(OneTask, is_slowed_by_fractions_of_a_tick_too) {
  // Up to 5 % of 10 ticks is less than a tick: on average 0.25.
  EXPECT_NEAR(*run({.frames = 100000, .jitter_share = 0.05}).sustained_period, 10.25, 0.01);
}

TEST(Simulation, refuses_invalid_options) {
  const TaskGraph graph = generate("chain:depth=0,cost=1");
  const Machine machine = parse_machine("logp:P=2");
  const Schedule schedule = time_task_messages(graph, machine, allocate({{0}, {}}));
  auto refusal = [&](const SimulationOptions& options, const char* text) {
    EXPECT_THAT([&] { (void)simulate(graph, machine, schedule, options); },
                ThrowsMessage<ConfigError>(HasSubstr(text)));
  };
  refusal({.frames = 0}, "0 frames");
  refusal({.buffers = 0}, "0 buffers");
  refusal({.input_places = 0}, "0 frames in the input queue");
  refusal({.slowness = {1}}, "slowness is given for 1 processors: the machine has 2");
  refusal({.slowness = {1, 0}}, "above 0");
  refusal({.frames = ~std::uint64_t{0}}, "expected 1 to 1000000000");
  refusal({.input_places = ~std::uint64_t{0}}, "at most 1000000");
  refusal({.buffers = ~std::uint64_t{0}}, "expected 1 to 1000000");
  refusal({.jitter_share = 1e300}, "1000 frames can take up to 1e+303 ticks");
  refusal({.slowness = {1e300, 1}}, "ticks: the limit is 1e+18");
  refusal({.frame_interval = 1e300}, "ticks: the limit is 1e+18");
}

}  // namespace
}  // namespace takt::logp
