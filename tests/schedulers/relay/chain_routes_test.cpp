/// Do stages and routes become valid timetables, with the period of their loads?

#include "schedulers/relay/chain_routes.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/graphs/generators.hpp"
#include "logp/diagnostics.hpp"
#include "schedulers/relay/chain_search.hpp"
#include "schedulers/relay/stage_sequence.hpp"
#include "tests/schedulers/frequency/oracle.hpp"

namespace takt::schedulers {
namespace {

/// Random routes.
ChainRoutes random_routes(std::size_t stages, Random& random) {
  ChainRoutes routes(stages, Routing::direct);
  for (std::uint32_t from = 0; from < stages; ++from)
    for (std::uint32_t to = from + 1; to < stages; ++to)
      routes.set_next(from, to, from + 1 + static_cast<std::uint32_t>(random.below(to - from)));
  return routes;
}

class AnyChain : public ::testing::TestWithParam<std::tuple<std::string_view, std::uint32_t>> {};

TEST_P(AnyChain, becomes_a_valid_timetable_for_any_routes) {
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
        for (Joining joining : {Joining::all, Joining::of_item})
          for (Sequencing sequencing : {Sequencing::first, Sequencing::improved}) {
            const Schedule schedule = make_schedule(workload, chain.stages, routes, joining, sequencing);
            EXPECT_EQ(schedule.replicas, replicas);
            for (const logp::Finding& finding : logp::diagnose(graph, machine, schedule, {.limit = 3}))
              ADD_FAILURE() << "graph " << i << ": " << finding.rule << ": " << finding.message;
            EXPECT_GE(measure(schedule).repetition, load_of(workload, chain.stages, routes)) << "graph " << i;
          }
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

TEST(ChainRoutes, improve_from_relays_to_cheaper_direct_messages) {
  // 0 -> 1 -> 2 and 0 -> 2 with much data: the stage in between should not forward it.
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
  EXPECT_EQ(StageSequence(operations).order(), (std::vector<std::uint32_t>{2, 0, 3, 1}));
}

TEST(StageOrder, computes_first_what_a_send_waits_for) {
  const std::vector<StageOperation> operations{{OperationKind::compute, Time{9}, Time{0}, {}},
                                               {OperationKind::compute, Time{5}, Time{0}, {}},
                                               {OperationKind::send, Time{1}, Time{1}, {1}}};
  EXPECT_EQ(StageSequence(operations).order(), (std::vector<std::uint32_t>{1, 2, 0}));
}

/// The time from start to end of operations in an order, by the definition of their gaps.
Time span_of(const std::vector<StageOperation>& operations, const std::vector<std::uint32_t>& order) {
  Time now{0}, next_send{0}, next_receive{0};
  for (std::uint32_t i : order) {
    const StageOperation& operation = operations[i];
    if (operation.kind == OperationKind::send) {
      now = std::max(now, next_send);
      next_send = now + operation.gap;
    } else if (operation.kind == OperationKind::receive) {
      now = std::max(now, next_receive);
      next_receive = now + operation.gap;
    }
    now += operation.length;
  }
  return now;
}

TEST(StageOrder, improves_to_between_the_first_order_and_the_best_of_all_orders) {
  Random random(31);
  for (int i = 0; i < 150; ++i) {
    std::vector<StageOperation> operations;
    for (std::uint32_t k = 0; k < 7; ++k) {
      StageOperation& operation = operations.emplace_back();
      operation.kind =
          std::array{OperationKind::receive, OperationKind::compute, OperationKind::send}[random.below(3)];
      operation.length = Time(random.between(0, 9));
      if (operation.kind != OperationKind::compute)
        operation.gap = operation.length + Time(random.between(0, 9));
      if (operation.kind == OperationKind::receive) continue;
      for (std::uint32_t need = 0; need < k; ++need)
        if (operations[need].kind != OperationKind::send && random.below(3) == 0)
          operation.needs.push_back(need);
    }
    std::vector<std::uint32_t> order{0, 1, 2, 3, 4, 5, 6};
    Time best = Time::max();
    do {
      std::array<std::size_t, 7> place;
      for (std::size_t at = 0; at < 7; ++at) place[order[at]] = at;
      bool is_order = true;
      for (std::size_t k = 0; k < 7; ++k)
        for (std::uint32_t need : operations[k].needs) is_order &= place[need] < place[k];
      if (is_order) best = std::min(best, span_of(operations, order));
    } while (std::ranges::next_permutation(order).found);

    StageSequence sequence(operations);
    const Time first = sequence.span();
    EXPECT_EQ(first, span_of(operations, sequence.order())) << "operations " << i;
    SearchRandom moves(i + 1);
    sequence.improve(300, moves);
    EXPECT_EQ(sequence.span(), span_of(operations, sequence.order())) << "operations " << i;
    EXPECT_LE(sequence.span(), first) << "operations " << i;
    EXPECT_GE(sequence.span(), best) << "operations " << i;
  }
}

}  // namespace
}  // namespace takt::schedulers
