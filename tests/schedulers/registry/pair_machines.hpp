#pragma once
/// Machines whose costs differ from pair to pair of processors.

#include <array>
#include <random>
#include <vector>

#include "logp/machine.hpp"

namespace takt::schedulers {

/// Six processors of two speeds in three nodes of two clusters, with other costs on each level.
inline logp::Machine machine_by_levels() {
  Platform platform = Platform::uniform(6);
  platform.speeds = {1, 2, 1, 1, 2, 1};
  platform.node_of = {0, 0, 1, 1, 2, 2};
  platform.cluster_of_node = {0, 0, 1};
  auto link = [](double scale) {
    const logp::Cost overhead(scale, 0.25 * scale), gap(2 * scale, 0.5 * scale);
    return logp::LinkCosts{{3 * scale, scale}, overhead, overhead, gap, gap};
  };
  return {platform, {logp::LinkCosts{}, link(1), link(2), link(4)}};
}

/// The same costs between any two processors, each defined for the pair; the levels have other costs.
inline logp::Machine pair_by_pair(const logp::Machine& machine) {
  Platform platform = Platform::uniform(machine.processor_count());
  platform.speeds = machine.platform().speeds;
  std::vector<logp::PairCosts> pairs;
  for (ProcessorId from : machine.processors())
    for (ProcessorId to : machine.processors())
      if (from != to) pairs.push_back({from, to, machine.costs(from, to)});
  std::array<logp::LinkCosts, level_count> levels;
  levels.fill({{1000, 10}, {100, 1}, {100, 1}, {200, 2}, {200, 2}});
  return {std::move(platform), levels, std::move(pairs)};
}

/// Random costs for about half of the pairs, separate for each direction; some with a step at 4 units, some
/// with a negative latency.
inline logp::Machine random_pairs(std::size_t processors, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  auto number = [&](std::uint64_t most) { return static_cast<double>(random() % (most + 1)); };
  auto cost = [&](std::uint64_t most) {
    if (random() % 3 > 0) return logp::Cost(number(most), number(2) / 2);
    return logp::Cost({{Bytes{0}, number(most), 1}, {Bytes{4}, number(2 * most), 0.25}});
  };
  auto link = [&] {
    const bool overlaps = random() % 4 == 0;
    return logp::LinkCosts{overlaps ? logp::Cost(-number(4), 0.5) : cost(20), cost(3), cost(3), cost(6),
                           cost(6)};
  };
  std::array<logp::LinkCosts, level_count> levels;
  levels.fill(link());
  std::vector<logp::PairCosts> pairs;
  for (ProcessorId from : ids<ProcessorId>(processors))
    for (ProcessorId to : ids<ProcessorId>(processors))
      if (from != to && random() % 2 == 0) pairs.push_back({from, to, link()});
  return {Platform::uniform(processors), levels, std::move(pairs)};
}

}  // namespace takt::schedulers
