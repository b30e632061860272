#include "tests/schedulers/relay/chain_oracle.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace takt::schedulers {

namespace {

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
      const Edge edge = graph.edge(id);
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

}  // namespace

int expect_chains(const Workload& workload, std::span<const Chain> chains, std::span<const Chain> same,
                  Time below) {
  const TaskGraph& graph = workload.items();
  int relays = 0;
  EXPECT_EQ(chains.size(), same.size());
  for (std::size_t k = 0; k < std::min(chains.size(), same.size()); ++k) {
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
    EXPECT_EQ(chains[k].load.count(), largest_relay_load(graph, workload.machine(), stages));
    ++relays;
  }
  return relays;
}

FilledChain filled_chain(Random& random, std::size_t processors) {
  const std::int64_t speeds[] = {1, 1, 2, 4};
  TaskGraphBuilder builder;
  std::vector<TaskId> before;
  std::string speed_list;
  for (std::size_t p = 0; p < processors; ++p) {
    const std::int64_t speed = speeds[p % 4], first = random.between(15, 45), second = random.between(15, 45);
    speed_list += fmt::format("{}{}", p > 0 ? "/" : "", speed);
    std::vector<TaskId> here;
    for (const std::int64_t ticks : {first, second, 100 - first - second})
      here.push_back(
          builder.add_task({.name = fmt::format("{}", 3 * p + here.size()), .work = Time(ticks * speed)}));
    for (TaskId task : here)
      if (!before.empty()) builder.add_edge(before[random.below(before.size())], task, Bytes{1});
    before.insert(before.end(), here.begin(), here.end());
  }
  return {std::move(builder).build(),
          logp::parse_machine(fmt::format("logp:P={},speed={}", processors, speed_list))};
}

}  // namespace takt::schedulers
