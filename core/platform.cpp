#include "core/platform.hpp"

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

Level Platform::level(ProcessorId a, ProcessorId b) const {
  if (a == b) return Level::processor;
  const std::uint32_t node_a = node_of[a.index()], node_b = node_of[b.index()];
  if (node_a == node_b) return Level::node;
  return cluster_of_node[node_a] == cluster_of_node[node_b] ? Level::cluster : Level::wide;
}

}  // namespace takt
