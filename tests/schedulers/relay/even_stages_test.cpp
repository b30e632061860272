/// Initial chains that give every processor its share of the work.

#include "schedulers/relay/even_stages.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "core/formats/graph_source.hpp"
#include "logp/machine.hpp"
#include "schedulers/relay/chain_search.hpp"

namespace takt::schedulers {
namespace {

TEST(EvenStages, have_shares_proportional_to_the_speeds) {
  const TaskGraph chain = load_graph("chain:depth=11,cost=10,data=1");
  const logp::Machine machine = logp::parse_machine("logp:P=3,L=1,o=1,g=1,speed=1/1/2");
  const Workload workload(chain, machine);
  const std::vector<Stages> found = even_stages(workload);
  ASSERT_FALSE(found.empty());
  for (const Stages& stages : found) {
    EXPECT_EQ(stages.chain, (std::vector<ProcessorId>{ProcessorId(2), ProcessorId(0), ProcessorId(1)}));
    EXPECT_EQ(stages.stage_of, (std::vector<std::uint32_t>{0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 2}));
  }
}

TEST(EvenStages, send_data_to_later_stages_only) {
  for (const char* text :
       {"layered:tasks=40,cost=1..100,data=1..9,seed=3", "gauss:size=7,cost=1..100", "fft:depth=3,cost=0"}) {
    const TaskGraph graph = load_graph(text);
    const logp::Machine machine = logp::parse_machine("loglinear:P=16,o=0+1");
    for (const Stages& stages : even_stages(Workload(graph, machine)))
      for (EdgeId edge : graph.edges())
        EXPECT_LE(stages.stage_of[graph.edge(edge).from.index()],
                  stages.stage_of[graph.edge(edge).to.index()])
            << text;
  }
}

/// Their purpose: the best cuts for expensive messages use few processors, and moves of tasks do not escape
/// from these.
TEST(EvenStages, are_better_starts_with_expensive_messages) {
  const TaskGraph graph = load_graph("layered:tasks=60,cost=1..100,data=1..100,seed=2");
  const logp::Machine machine = logp::parse_machine("loglinear:P=8,L=0+1,o=0+1,g=0+1");
  const Workload workload(graph, machine);
  constexpr std::uint64_t moves = 20'000;
  std::uint64_t for_cuts = moves, for_shares = moves;
  const Time from_cuts = search_chains(workload, Time{0}, for_cuts, 1).chains.front().load;
  const Time from_shares =
      improve_chains(workload, even_stages(workload), Time{0}, for_shares, 1).front().load;
  EXPECT_LT(10 * from_shares.count(), 9 * from_cuts.count());
}

TEST(EvenStages, are_empty_without_work_to_divide) {
  const TaskGraph graph = load_graph("chain:depth=3,cost=1");
  const logp::Machine one = logp::parse_machine("delay:P=1"), two = logp::parse_machine("delay:P=2");
  EXPECT_TRUE(even_stages(Workload(graph, one)).empty());
  EXPECT_TRUE(even_stages(Workload(load_graph("chain:depth=0,cost=1"), two)).empty());
}

}  // namespace
}  // namespace takt::schedulers
