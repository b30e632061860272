#pragma once
/// The machine's structure: processors, how fast they are, and where they sit.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/ids.hpp"
#include "core/network.hpp"
#include "core/units.hpp"

namespace takt {

/// How far apart two processors are.
enum class Level : std::uint8_t { processor, node, cluster, wide };
inline constexpr std::size_t level_count = 4;

/// Processors with their speeds, in nodes, in clusters.
struct Platform {
  /// Work per time relative to a processor of speed 1; one entry a processor, all positive.
  std::vector<double> speeds;
  /// Node of each processor and cluster of each node, numbered from 0.
  std::vector<std::uint32_t> node_of;
  std::vector<std::uint32_t> cluster_of_node;
  /// Links between the nodes, for schedulers that route messages; empty where there is no need to.
  Network network;

  /// `count` processors of speed 1, each a node of its own, all in one cluster.
  [[nodiscard]] static Platform uniform(std::size_t count);

  [[nodiscard]] std::size_t processor_count() const { return speeds.size(); }
  [[nodiscard]] Level level(ProcessorId a, ProcessorId b) const;

  friend bool operator==(const Platform&, const Platform&) = default;
};

}  // namespace takt
