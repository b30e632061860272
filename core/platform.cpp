#include "core/platform.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

namespace takt {

Platform Platform::uniform(std::size_t count) {
  Platform platform;
  platform.speeds.assign(count, 1.0);
  platform.node_of.resize(count);
  std::iota(platform.node_of.begin(), platform.node_of.end(), 0U);
  platform.cluster_of_node.assign(count, 0);
  return platform;
}

Platform Platform::subset(std::span<const ProcessorId> processors) const {
  Platform platform = *this;
  platform.speeds.clear();
  platform.node_of.clear();
  platform.core_types.clear();
  platform.type_of.clear();
  for (ProcessorId p : processors) {
    platform.speeds.push_back(speeds[p.index()]);
    platform.node_of.push_back(node_of[p.index()]);
    if (!type_of.empty()) platform.add_type(core_types[type_of[p.index()]]);
  }
  return platform;
}

void Platform::add_type(std::string_view name) {
  const auto known = std::ranges::find(core_types, name);
  type_of.push_back(static_cast<std::uint32_t>(known - core_types.begin()));
  if (known == core_types.end()) core_types.emplace_back(name);
}

Platform Platform::grown(std::size_t count) const {
  Platform platform = *this;
  const auto fastest = std::ranges::max_element(speeds);
  while (platform.processor_count() < count) {
    platform.speeds.push_back(*fastest);
    if (!type_of.empty())
      platform.type_of.push_back(type_of[static_cast<std::size_t>(fastest - speeds.begin())]);
    platform.node_of.push_back(static_cast<std::uint32_t>(platform.cluster_of_node.size()));
    platform.cluster_of_node.push_back(cluster_of_node.front());
  }
  return platform;
}

std::size_t Platform::most_grown() const {
  if (network.empty()) return std::numeric_limits<std::size_t>::max();
  const std::size_t nodes = cluster_of_node.size(), places = network.place_count();
  return processor_count() + (places > nodes ? places - nodes : 0);
}

std::size_t Platform::cluster_count() const {
  std::size_t count = cluster_names.size();
  for (std::uint32_t cluster : cluster_of_node) count = std::max<std::size_t>(count, cluster + 1);
  return count;
}

std::array<double, level_count> Platform::pairs_by_level() const {
  std::vector<double> in_node(cluster_of_node.size(), 0);
  for (std::uint32_t node : node_of) ++in_node[node];
  std::map<std::uint32_t, double> in_cluster;
  std::array<double, level_count> pairs{};
  for (std::size_t node = 0; node < in_node.size(); ++node) {
    pairs[static_cast<std::size_t>(Level::node)] += in_node[node] * (in_node[node] - 1);
    in_cluster[cluster_of_node[node]] += in_node[node];
  }
  const auto all = static_cast<double>(processor_count());
  double within_clusters = 0;
  for (const auto& [cluster, count] : in_cluster) within_clusters += count * (count - 1);
  pairs[static_cast<std::size_t>(Level::cluster)] =
      within_clusters - pairs[static_cast<std::size_t>(Level::node)];
  pairs[static_cast<std::size_t>(Level::wide)] = all * (all - 1) - within_clusters;
  return pairs;
}

double Platform::pairs_between(std::uint32_t from, std::uint32_t to) const {
  std::vector<double> in_node(cluster_of_node.size(), 0);
  double in_from = 0, in_to = 0;
  for (std::uint32_t node : node_of) {
    ++in_node[node];
    in_from += cluster_of_node[node] == from ? 1 : 0;
    in_to += cluster_of_node[node] == to ? 1 : 0;
  }
  if (from != to) return in_from * in_to;
  double pairs = in_from * in_from;
  for (std::size_t node = 0; node < in_node.size(); ++node)
    if (cluster_of_node[node] == from) pairs -= in_node[node] * in_node[node];
  return pairs;
}

}  // namespace takt
