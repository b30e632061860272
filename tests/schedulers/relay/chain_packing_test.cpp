/// Are packed chains valid, with the reported loads, and do they find exact fits?

#include "schedulers/relay/chain_packing.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "core/graphs/generators.hpp"
#include "core/random.hpp"
#include "logp/machine.hpp"
#include "tests/schedulers/frequency/oracle.hpp"
#include "tests/schedulers/relay/chain_oracle.hpp"

namespace takt::schedulers {
namespace {

constexpr std::uint64_t packing_budget = 3'000;

TEST(ChainPacking, makes_chains_with_the_reported_loads) {
  Random random(41);
  int found = 0;
  for (int i = 0; i < 20; ++i) {
    const TaskGraph graph = oracle::random_graph(random, 2 + random.below(20), 20, 60, 4);
    for (const char* costs : {"logp:P=5,speed=1/1/2/4/3", "logp:P=5,L=1,o=2,g=0,speed=1/2/1/2/1",
                              "loglinear:P=5,L=1+1,o=1+1,g=0+0", "logp:P=1"}) {
      const logp::Machine machine = logp::parse_machine(costs);
      const Workload workload(graph, machine);
      const Time below(1'000'000);
      std::uint64_t budget = packing_budget, same_budget = packing_budget;
      const std::vector<Chain> chains = pack_chains(workload, Time{1}, below, budget, 7);
      const std::vector<Chain> same = pack_chains(workload, Time{1}, below, same_budget, 7);
      EXPECT_EQ(budget, same_budget);
      found += expect_chains(workload, chains, same, below);
    }
  }
  EXPECT_GT(found, 100);
}

TEST(ChainPacking, finds_nearly_exact_fits) {
  Random random(43);
  for (int i = 0; i < 6; ++i) {
    const FilledChain filled = filled_chain(random, 24);
    const Workload workload(filled.graph, filled.machine);
    std::uint64_t budget = 100'000;
    const std::vector<Chain> chains = pack_chains(workload, Time{100}, Time{200}, budget, 1);
    ASSERT_FALSE(chains.empty());
    EXPECT_LE(chains.front().load, Time{106}) << "graph " << i;
  }
}

TEST(ChainPacking, is_empty_for_unsupported_workloads) {
  std::uint64_t budget = packing_budget;
  const TaskGraph graph = generate("fork_join:depth=1,width=98,cost=1,data=1");
  // Many tasks per processor; levels of links.
  EXPECT_TRUE(
      pack_chains(Workload(graph, logp::parse_machine("logp:P=2")), Time{1}, Time{100}, budget, 1).empty());
  Random random(44);
  EXPECT_TRUE(
      pack_chains(Workload(graph, oracle::random_levels(random, 20)), Time{1}, Time{100}, budget, 1).empty());
  EXPECT_EQ(budget, packing_budget);
}

}  // namespace
}  // namespace takt::schedulers
