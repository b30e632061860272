/// Do the loads of a chain stay correct while items move, and is the search over moves sound?

#include "schedulers/search/stage_loads.hpp"

#include <gtest/gtest.h>

#include "core/graphs/generators.hpp"
#include "schedulers/relay/chain_routes.hpp"
#include "schedulers/search/stage_search.hpp"
#include "tests/schedulers/frequency/oracle.hpp"

namespace takt::schedulers {
namespace search_stage_loads_test {

using Case = std::tuple<std::string_view, Routing, std::uint32_t>;
class MovingItems : public ::testing::TestWithParam<Case> {};

/// Stages that respect the edges: each item at random between its predecessors' last stage and the end.
std::vector<std::uint32_t> random_stages(const TaskGraph& items, std::size_t stages, Random& random) {
  std::vector<std::uint32_t> stage_of(items.task_count(), 0);
  for (TaskId item : items.topological_order()) {
    std::uint32_t first = 0;
    for (EdgeId in : items.in_edges(item)) first = std::max(first, stage_of[items.edge(in).from.index()]);
    stage_of[item.index()] = first + static_cast<std::uint32_t>(random.below((stages - first + 1) / 2 + 1));
    stage_of[item.index()] = std::min(stage_of[item.index()], static_cast<std::uint32_t>(stages - 1));
  }
  return stage_of;
}

TEST_P(MovingItems, keeps_the_loads_of_a_count_from_scratch) {
  const auto [machine_text, routing, replicas] = GetParam();
  const logp::Machine machine = logp::parse_machine(machine_text);
  Random random(5);
  for (int i = 0; i < 20; ++i) {
    const TaskGraph graph = oracle::with_some_stateless(oracle::random_graph(random, 12, 25, 20, 6), random);
    const Workload workload(graph, machine, replicas);
    std::vector<ProcessorId> chain;
    for (ProcessorId p : machine.processors()) chain.push_back(p);
    StageLoads loads(workload, chain, random_stages(workload.items(), chain.size(), random), routing);
    for (int step = 0; step < 200; ++step) {
      const TaskId item(random.below(workload.item_count()));
      const auto [first, last] = loads.range_of(item);
      ASSERT_LE(first, loads.stage_of(item));
      ASSERT_GE(last, loads.stage_of(item));
      loads.move(item, first + static_cast<std::uint32_t>(random.below(last - first + 1)));
      // find_messages collects the messages from scratch.
      const Stages stages{chain, loads.stages()};
      ASSERT_EQ(Time(loads.repetition()), load_of(workload, stages, ChainRoutes(chain.size(), routing)))
          << "graph " << i << " step " << step;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Grid, MovingItems,
    ::testing::Combine(::testing::Values("logp:P=4,L=0,o=0,g=0", "logp:P=4,L=3,o=2,g=5",
                                         "loglinear:P=5,L=1+1,o=1+1,g=2+2,speed=1/2/1/0.5/1"),
                       ::testing::Values(Routing::relay, Routing::direct), ::testing::Values(1U, 3U)));

TEST(StageSearch, never_makes_the_period_longer_and_stops_at_the_bound) {
  Random random(6);
  const logp::Machine machine = logp::parse_machine("loglinear:P=4,L=1+1,o=1+1,g=2+2");
  for (int i = 0; i < 10; ++i) {
    const TaskGraph graph = oracle::random_graph(random, 30, 15, 50, 6);
    const Workload workload(graph, machine);
    std::vector<ProcessorId> chain;
    for (ProcessorId p : machine.processors()) chain.push_back(p);
    StageLoads loads(workload, chain, random_stages(graph, chain.size(), random), Routing::direct);
    const Time::rep before = loads.repetition();
    SearchRandom search_random(1);
    std::uint64_t budget = 5000;
    const Time bound(before - 20);
    improve_stages(loads, bound, budget, search_random);
    EXPECT_LE(loads.repetition(), before);
    EXPECT_TRUE(budget == 0 || loads.repetition() <= bound.count());
    for (EdgeId edge : graph.edges())
      EXPECT_LE(loads.stage_of(graph.edge(edge).from), loads.stage_of(graph.edge(edge).to));
  }
}

}  // namespace search_stage_loads_test
}  // namespace takt::schedulers
