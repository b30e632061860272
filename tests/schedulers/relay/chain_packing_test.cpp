/// Are packed chains chains, with the loads that they say, and do they find what fits exactly?

#include "schedulers/relay/chain_packing.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/generators.hpp"
#include "core/random.hpp"
#include "logp/machine.hpp"
#include "tests/schedulers/frequency/oracle.hpp"

namespace takt::schedulers {
namespace {

constexpr std::uint64_t packing_budget = 3'000;

/// The largest load of a chain of relays, counted datum by datum.
std::int64_t largest_relay_load(const TaskGraph& graph, const logp::Machine& machine, const Stages& stages) {
  const std::size_t count = stages.chain.size();
  std::vector<std::int64_t> busy(count, 0);
  for (TaskId task : graph.tasks()) {
    const std::size_t stage = stages.stage_of[task.index()];
    busy[stage] += machine.duration(graph, task, stages.chain[stage]).count();
  }
  for (std::size_t k = 0; k + 1 < count; ++k) {
    std::vector<bool> crosses(graph.datum_count(), false);
    for (EdgeId id : graph.edges()) {
      const Edge& edge = graph.edge(id);
      if (stages.stage_of[edge.from.index()] <= k && stages.stage_of[edge.to.index()] > k)
        crosses[edge.datum.index()] = true;
    }
    Bytes size;
    for (DatumId datum : ids<DatumId>(graph.datum_count()))
      if (crosses[datum.index()]) size += graph.datum_size(datum);
    if (std::ranges::find(crosses, true) == crosses.end()) continue;
    busy[k] += machine.send_overhead(stages.chain[k], stages.chain[k + 1], size).count();
    busy[k + 1] += machine.receive_overhead(stages.chain[k], stages.chain[k + 1], size).count();
  }
  return *std::ranges::max_element(busy);
}

TEST(ChainPacking, makes_chains_with_the_loads_that_they_say) {
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
      ASSERT_EQ(chains.size(), same.size());
      EXPECT_EQ(budget, same_budget);
      for (std::size_t k = 0; k < chains.size(); ++k) {
        const Stages& stages = chains[k].stages;
        EXPECT_EQ(stages.stage_of, same[k].stages.stage_of);
        EXPECT_LT(chains[k].load, below);
        EXPECT_GE(chains[k].load, chains[k > 0 ? k - 1 : 0].load);
        for (EdgeId id : graph.edges())
          EXPECT_LE(stages.stage_of[graph.edge(id).from.index()], stages.stage_of[graph.edge(id).to.index()]);
        std::vector<ProcessorId> used = stages.chain;
        std::ranges::sort(used);
        EXPECT_EQ(std::ranges::adjacent_find(used), used.end());
        // Relays send from each stage to the next one.
        if (stages.chain.size() > 2 && chains[k].routes.next(0, 2) != 1) continue;
        EXPECT_EQ(chains[k].load.count(), largest_relay_load(graph, machine, stages)) << costs << " " << i;
        ++found;
      }
    }
  }
  EXPECT_GT(found, 100);
}

/// Processors are filled with pieces of 100 ticks in sum, and data go from earlier to later ones only: so
/// there is a chain of 100 ticks without any time left over.
TEST(ChainPacking, finds_what_fits_nearly_exactly) {
  Random random(43);
  for (int i = 0; i < 6; ++i) {
    constexpr std::size_t processors = 24;
    const std::int64_t speeds[] = {1, 1, 2, 4};
    TaskGraphBuilder builder;
    std::vector<TaskId> before;
    for (std::size_t p = 0; p < processors; ++p) {
      const std::int64_t speed = speeds[p % 4], first = random.between(15, 45),
                         second = random.between(15, 45);
      std::vector<TaskId> here;
      for (const std::int64_t ticks : {first, second, 100 - first - second})
        here.push_back(
            builder.add_task({.name = fmt::format("{}", 3 * p + here.size()), .work = Time(ticks * speed)}));
      for (TaskId task : here)
        if (!before.empty()) builder.add_edge(before[random.below(before.size())], task, Bytes{1});
      before.insert(before.end(), here.begin(), here.end());
    }
    const TaskGraph graph = std::move(builder).build();
    std::string speed_list;
    for (std::size_t p = 0; p < processors; ++p)
      speed_list += fmt::format("{}{}", p > 0 ? "/" : "", speeds[p % 4]);
    const logp::Machine machine =
        logp::parse_machine(fmt::format("logp:P={},speed={}", processors, speed_list));
    const Workload workload(graph, machine);
    std::uint64_t budget = 100'000;
    const std::vector<Chain> chains = pack_chains(workload, Time{100}, Time{200}, budget, 1);
    ASSERT_FALSE(chains.empty());
    EXPECT_LE(chains.front().load, Time{106}) << "graph " << i;
  }
}

TEST(ChainPacking, leaves_alone_what_it_is_not_for) {
  std::uint64_t budget = packing_budget;
  const TaskGraph graph = generate("fork_join:depth=1,width=98,cost=1,data=1");
  // Many tasks a processor; levels of links.
  EXPECT_TRUE(
      pack_chains(Workload(graph, logp::parse_machine("logp:P=2")), Time{1}, Time{100}, budget, 1).empty());
  Random random(44);
  EXPECT_TRUE(
      pack_chains(Workload(graph, oracle::random_levels(random, 20)), Time{1}, Time{100}, budget, 1).empty());
  EXPECT_EQ(budget, packing_budget);
}

}  // namespace
}  // namespace takt::schedulers
