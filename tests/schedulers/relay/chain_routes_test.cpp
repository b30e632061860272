/// Do stages and ways of data become valid timetables, with the period that their loads promise?

#include "schedulers/relay/chain_routes.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/generators.hpp"
#include "logp/diagnostics.hpp"
#include "schedulers/relay/chain_search.hpp"
#include "schedulers/relay/stage_sequence.hpp"
#include "tests/schedulers/frequency/oracle.hpp"

namespace takt::schedulers {
namespace {

/// Ways chosen at random.
ChainRoutes random_routes(std::size_t stages, Random& random) {
  ChainRoutes routes(stages, Routing::direct);
  for (std::uint32_t from = 0; from < stages; ++from)
    for (std::uint32_t to = from + 1; to < stages; ++to)
      routes.set_next(from, to, from + 1 + static_cast<std::uint32_t>(random.below(to - from)));
  return routes;
}

class AnyChain : public ::testing::TestWithParam<std::tuple<std::string_view, std::uint32_t>> {};

TEST_P(AnyChain, becomes_a_valid_timetable_whatever_the_ways) {
  const auto [machine_text, replicas] = GetParam();
  const logp::Machine machine = logp::parse_machine(machine_text);
  Random random(8);
  for (int i = 0; i < 25; ++i) {
    const TaskGraph graph = oracle::with_some_stateless(oracle::random_graph(random, 10, 30, 20, 6), random);
    const Workload workload(graph, machine, replicas);
    std::uint64_t budget = 300;
    for (const Chain& chain : search_chains(workload, Time{0}, budget, i).chains) {
      const ChainRoutes ways = random_routes(chain.stages.chain.size(), random);
      for (const ChainRoutes& routes : {chain.routes, ways}) {
        const Schedule schedule = make_schedule(workload, chain.stages, routes);
        EXPECT_EQ(schedule.replicas, replicas);
        for (const logp::Finding& finding : logp::diagnose(graph, machine, schedule, {.limit = 3}))
          ADD_FAILURE() << "graph " << i << ": " << finding.rule << ": " << finding.message;
        EXPECT_GE(measure(schedule).repetition, load_of(workload, chain.stages, routes)) << "graph " << i;
      }
      EXPECT_EQ(load_of(workload, chain.stages, chain.routes), chain.load);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Grid, AnyChain,
    ::testing::Combine(::testing::Values("logp:P=4,L=0,o=0,g=0", "logp:P=4,L=30,o=2,g=7",
                                         "logp:P=5,L=5,o=0,g=50", "loglinear:P=4,L=1+1,o=1+1,g=2+2",
                                         "loglinear:P=4,L=40+0.5,o=3+0.25,g=5+1.5", "delay:P=4",
                                         "logp:P=4,L=3,o=1,g=2,speed=1/0.5/2.5/1"),
                       ::testing::Values(1U, 2U, 3U)));

TEST(Timetable, of_relays_has_exactly_the_period_of_the_loads) {
  Random random(9);
  for (std::string_view machine_text :
       {"logp:P=4,L=0,o=0,g=0", "logp:P=4,L=30,o=2,g=7", "loglinear:P=4,L=9,o=1+1,g=2+2"})
    for (int i = 0; i < 20; ++i) {
      const TaskGraph graph = oracle::random_graph(random, 15, 20, 30, 6);
      const logp::Machine machine = logp::parse_machine(machine_text);
      const Workload workload(graph, machine);
      std::uint64_t budget = 300;
      for (const Chain& chain : search_chains(workload, Time{0}, budget, i).chains) {
        const ChainRoutes relays(chain.stages.chain.size(), Routing::relay);
        EXPECT_EQ(measure(make_schedule(workload, chain.stages, relays)).repetition,
                  load_of(workload, chain.stages, relays));
      }
    }
}

TEST(ChainRoutes, improve_from_relays_to_direct_messages_where_these_are_cheaper) {
  // 0 -> 1 -> 2 and 0 -> 2 with much data: the stage in between should not carry it.
  TaskGraphBuilder builder;
  for (const char* name : {"a", "b", "c"}) builder.add_task({.name = name, .work = Time(10)});
  builder.add_edge(TaskId(0), TaskId(1), Bytes{1});
  builder.add_edge(TaskId(1), TaskId(2), Bytes{1});
  builder.add_edge(TaskId(0), TaskId(2), Bytes{100});
  const TaskGraph graph = std::move(builder).build();
  const logp::Machine machine = logp::parse_machine("loglinear:P=3,L=0,o=0+1,g=0");
  const Workload workload(graph, machine);
  const Stages stages{{ProcessorId(0), ProcessorId(1), ProcessorId(2)}, {0, 1, 2}};
  ChainRoutes routes(3, Routing::relay);
  // a: 10 + 101, b: 101 + 10 + 101, c: 101 + 10.
  EXPECT_EQ(load_of(workload, stages, routes), Time{212});
  improve_routes(workload, stages, routes);
  // a: 10 + 1 + 100, b: 1 + 10 + 1, c: 1 + 100 + 10.
  EXPECT_EQ(load_of(workload, stages, routes), Time{111});
  EXPECT_EQ(measure(make_schedule(workload, stages, routes)).repetition, Time{111});
}

TEST(StageOrder, fills_the_gap_between_two_receives_with_work) {
  // Two receives of 1, a gap of 10 apart, each for a task of 9: receive, compute, receive, compute.
  const std::vector<StageOperation> operations{{OperationKind::compute, Time{9}, Time{0}, {2}},
                                               {OperationKind::compute, Time{9}, Time{0}, {3}},
                                               {OperationKind::receive, Time{1}, Time{10}, {}},
                                               {OperationKind::receive, Time{1}, Time{10}, {}}};
  EXPECT_EQ(sequence_stage(operations), (std::vector<std::uint32_t>{2, 0, 3, 1}));
}

TEST(StageOrder, computes_first_what_a_send_waits_for) {
  const std::vector<StageOperation> operations{{OperationKind::compute, Time{9}, Time{0}, {}},
                                               {OperationKind::compute, Time{5}, Time{0}, {}},
                                               {OperationKind::send, Time{1}, Time{1}, {1}}};
  EXPECT_EQ(sequence_stage(operations), (std::vector<std::uint32_t>{1, 2, 0}));
}

}  // namespace
}  // namespace takt::schedulers
