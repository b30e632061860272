#include "logp/machine_yaml_costs.hpp"

namespace takt::logp {

Machine machine_of(const Platform& platform, const FileCosts& costs) {
  std::vector<ClusterCosts> clusters;
  for (const ClusterEntry& entry : costs.clusters) {
    const Level level = entry.from == entry.to ? Level::cluster : Level::wide;
    clusters.push_back({entry.from, entry.to, costs.levels[static_cast<std::size_t>(level)]});
    for (const auto& [member, cost] : entry.costs) clusters.back().costs.*member = cost;
  }
  Machine without_pairs(platform, costs.levels, {}, clusters);
  if (costs.pairs.empty()) return without_pairs;
  std::vector<PairCosts> pairs;
  for (const PairEntry& entry : costs.pairs) {
    PairCosts& pair = pairs.emplace_back(entry.from, entry.to, without_pairs.costs(entry.from, entry.to));
    for (const auto& [member, cost] : entry.costs) pair.costs.*member = cost;
  }
  return {platform, costs.levels, std::move(pairs), std::move(clusters)};
}

}  // namespace takt::logp
