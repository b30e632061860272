/// Does `chains` cut an order optimally?

#include "schedulers/frequency/chains.hpp"

#include <numeric>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/graphs/generators.hpp"
#include "logp/diagnostics.hpp"
#include "schedulers/frequency/basic_fo.hpp"
#include "schedulers/relay/chain_partition.hpp"
#include "tests/schedulers/frequency/oracle.hpp"

namespace takt::schedulers {
namespace {

std::vector<TaskId> order_of(const TaskGraph& graph) {
  const auto order = graph.topological_order();
  return {order.begin(), order.end()};
}

class ChainsOnEqualProcessors : public ::testing::TestWithParam<std::string_view> {};

TEST_P(ChainsOnEqualProcessors, reaches_the_least_period_of_all_cuts) {
  const logp::Machine machine = logp::parse_machine(GetParam());
  Random random(3);
  for (int i = 0; i < 150; ++i) {
    TaskGraph graph = oracle::random_graph(random, 1 + random.below(9), 30, 20, 6);
    // Replicable graphs have another bound, and the same chains.
    if (i % 3 == 0) graph = oracle::with_stateless_tasks(random, graph);
    const Schedule schedule = chains(graph, machine, {});
    EXPECT_EQ(measure(schedule).repetition.count(),
              oracle::least_period_of_order(graph, machine, order_of(graph)))
        << "graph " << i;
    EXPECT_TRUE(logp::diagnose(graph, machine, schedule).empty()) << "graph " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, ChainsOnEqualProcessors,
                         ::testing::Values("logp:P=1,L=1,o=1,g=2", "logp:P=3,L=0,o=0,g=0",
                                           "logp:P=4,L=1,o=1,g=2", "logp:P=3,L=9,o=5,g=11",
                                           "logp:P=3,L=5,o=0,g=25", "loglinear:P=4,L=1+1,o=1+1,g=2+2",
                                           "loglinear:P=3,L=1+1,o=0+3,g=0+4", "delay:P=4"));

TEST(Chains, with_different_speeds_are_not_worse_than_any_cut_on_the_first_processors) {
  Random random(4);
  for (std::string_view text :
       {"logp:P=3,L=1,o=1,g=2,speed=1/0.5/2", "loglinear:P=3,L=1,o=1+1,g=2,speed=2/1/3"}) {
    const logp::Machine machine = logp::parse_machine(text);
    for (int i = 0; i < 60; ++i) {
      const TaskGraph graph = oracle::random_graph(random, 1 + random.below(7), 30, 20, 6);
      const Schedule schedule = chains(graph, machine, {});
      EXPECT_LE(measure(schedule).repetition.count(),
                oracle::least_period_of_order(graph, machine, order_of(graph)));
      EXPECT_GE(measure(schedule).repetition.count(), oracle::least_period_relay(graph, machine));
      EXPECT_TRUE(logp::diagnose(graph, machine, schedule).empty());
    }
  }
}

TEST(Chains, is_never_worse_than_basic_fo) {
  for (std::string_view shape :
       {"send_tree:depth=4,cost=1..100,data=3,seed={}", "fft:depth=3,cost=1..100,data=10,seed={}",
        "wave:depth=4,width=6,cost=1..100,data=7,seed={}", "fork_join:depth=1,width=9,cost=1..900,seed={}"})
    for (std::string_view text : {"logp:P=3,L=0,o=0,g=0", "logp:P=8,L=1,o=1,g=2",
                                  "loglinear:P=5,L=1+1,o=1+1,g=2+2", "logp:P=4,L=3,o=9,g=2,speed=1/3/0.25/2"})
      for (int seed = 0; seed < 5; ++seed) {
        const TaskGraph graph = generate(fmt::format(fmt::runtime(shape), seed));
        const logp::Machine machine = logp::parse_machine(text);
        EXPECT_LE(measure(chains(graph, machine, {})).repetition,
                  measure(basic_fo(graph, machine, {})).repetition)
            << shape << " on " << text;
      }
}

TEST(Chains, uses_no_more_processors_than_the_period_needs) {
  // A task of 10 and four of 1: two processors reach 10, a third one gains nothing.
  TaskGraphBuilder builder;
  int number = 0;
  for (int work : {10, 1, 1, 1, 1})
    builder.add_task({.name = fmt::format("{}", ++number), .work = Time(work)});
  const ScheduleMetrics metrics =
      measure(chains(std::move(builder).build(), logp::parse_machine("logp:P=4,L=0,o=0,g=0"), {}));
  EXPECT_EQ(metrics.repetition, Time{10});
  EXPECT_EQ(metrics.processors_used, 2U);
}

TEST(ChainPartitioner, cuts_a_long_order_exactly) {
  // Unit tasks without communication: 100,000 over 7 processors.
  const TaskGraph graph = generate("chain:depth=99999,cost=1");
  const logp::Machine machine = logp::parse_machine("logp:P=7,L=0,o=0,g=0");
  EXPECT_EQ(measure(chains(graph, machine, {})).repetition, Time{14286});
}

TEST(ChainPartitioner, decides_whether_and_how_a_period_is_feasible) {
  const TaskGraph graph = generate("chain:depth=5,cost=2");
  const logp::Machine machine = logp::parse_machine("logp:P=3,L=1,o=1,g=1");
  const Workload workload(graph, machine);
  const std::vector<ProcessorId> chain{ProcessorId(0), ProcessorId(1), ProcessorId(2)};
  const auto order = order_of(graph);
  const ChainPartitioner partitioner(workload, order, chain);
  // 2 2 | 2 2 | 2 2 costs 5, 6, 5; 2 2 2 | 2 2 2 costs 7 twice.
  EXPECT_FALSE(partitioner.within(Time{5}));
  EXPECT_EQ(partitioner.within(Time{6})->cuts, (std::vector<std::size_t>{0, 2, 4, 6}));
  EXPECT_EQ(partitioner.within(Time{7})->chain.size(), 2U);
}

}  // namespace
}  // namespace takt::schedulers
