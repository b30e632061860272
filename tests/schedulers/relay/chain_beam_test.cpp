/// Are chains from beams valid, with the reported loads, and do prices find exact fits?

#include "schedulers/relay/chain_beam.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "core/graphs/generators.hpp"
#include "core/random.hpp"
#include "logp/machine.hpp"
#include "schedulers/bounds/least_times.hpp"
#include "schedulers/bounds/packing_bound.hpp"
#include "tests/schedulers/frequency/oracle.hpp"
#include "tests/schedulers/relay/chain_oracle.hpp"

namespace takt::schedulers {
namespace {

constexpr std::uint64_t beam_budget = 2'000;

TEST(ChainBeam, makes_chains_with_the_reported_loads) {
  Random random(45);
  int found = 0;
  for (int i = 0; i < 12; ++i) {
    const TaskGraph graph = oracle::random_graph(random, 2 + random.below(20), 20, 60, 4);
    for (const char* costs : {"logp:P=5,speed=1/1/2/4/3", "logp:P=5,L=1,o=2,g=0,speed=1/2/1/2/1",
                              "loglinear:P=5,L=1+1,o=1+1,g=0+0", "logp:P=4"}) {
      const logp::Machine machine = logp::parse_machine(costs);
      const Workload workload(graph, machine);
      const Time below(1'000'000);
      const PackingBound packing =
          packing_bound(workload, Time{1}, fastest_sequential_run(graph, machine).time);
      // With prices and without.
      for (const std::vector<double>& prices : {packing.prices, std::vector<double>{}}) {
        std::uint64_t budget = beam_budget, same_budget = beam_budget;
        const std::vector<Chain> chains = search_chain_beams(workload, prices, Time{1}, below, budget, 7);
        const std::vector<Chain> same = search_chain_beams(workload, prices, Time{1}, below, same_budget, 7);
        EXPECT_EQ(budget, same_budget);
        EXPECT_FALSE(chains.empty()) << costs << " " << i;
        for (const Chain& chain : chains) EXPECT_GE(chain.load, packing.period) << costs << " " << i;
        found += expect_chains(workload, chains, same, below);
      }
    }
  }
  EXPECT_GT(found, 60);
}

TEST(ChainBeam, finds_nearly_exact_fits) {
  Random random(46);
  for (int i = 0; i < 6; ++i) {
    const FilledChain filled = filled_chain(random, 24);
    const Workload workload(filled.graph, filled.machine);
    const PackingBound packing = packing_bound(workload, Time{90}, Time{200});
    EXPECT_LE(packing.period, Time{100});
    std::uint64_t budget = 50'000;
    const std::vector<Chain> chains =
        search_chain_beams(workload, packing.prices, Time{100}, Time{200}, budget, 1);
    ASSERT_FALSE(chains.empty());
    EXPECT_LE(chains.front().load, Time{108}) << "graph " << i;
  }
}

TEST(ChainBeam, is_empty_for_unsupported_workloads) {
  std::uint64_t budget = beam_budget;
  const TaskGraph graph = generate("fork_join:depth=1,width=98,cost=1,data=1");
  // Many tasks per processor; levels of links.
  EXPECT_TRUE(
      search_chain_beams(Workload(graph, logp::parse_machine("logp:P=2")), {}, Time{1}, Time{100}, budget, 1)
          .empty());
  Random random(44);
  EXPECT_TRUE(search_chain_beams(Workload(graph, oracle::random_levels(random, 20)), {}, Time{1}, Time{100},
                                 budget, 1)
                  .empty());
  EXPECT_EQ(budget, beam_budget);
}

}  // namespace
}  // namespace takt::schedulers
