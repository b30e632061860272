#pragma once
/// The machine's structure: processors, how fast they are, and where they sit.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
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
  /// Names of the clusters, all different; empty where they have none.
  std::vector<std::string> cluster_names = {};
  /// Links between the nodes, for schedulers that route messages; empty where there is no need to.
  Network network;

  /// `count` processors of speed 1, each a node of its own, all in one cluster.
  [[nodiscard]] static Platform uniform(std::size_t count);

  /// Only these processors, in this order, at the same places.
  [[nodiscard]] Platform subset(std::span<const ProcessorId> processors) const;
  /// With so many processors in all, the new ones as fast as the fastest, each a node of its own in the first
  /// cluster; not more than `most_grown()`.
  [[nodiscard]] Platform grown(std::size_t count) const;
  /// The most processors that there can be with one on each node that is new: where a network has no node
  /// left, none can be added, for where it would be connected is not known.
  [[nodiscard]] std::size_t most_grown() const;

  [[nodiscard]] std::size_t processor_count() const { return speeds.size(); }
  [[nodiscard]] std::uint32_t cluster(ProcessorId processor) const {
    return cluster_of_node[node_of[processor.index()]];
  }
  /// One more than the highest number of a cluster.
  [[nodiscard]] std::size_t cluster_count() const;
  [[nodiscard]] Level level(ProcessorId a, ProcessorId b) const {
    if (a == b) return Level::processor;
    const std::uint32_t node_a = node_of[a.index()], node_b = node_of[b.index()];
    if (node_a == node_b) return Level::node;
    return cluster_of_node[node_a] == cluster_of_node[node_b] ? Level::cluster : Level::wide;
  }
  /// How many ordered pairs of two different processors are how far apart. O(processors + nodes log nodes).
  [[nodiscard]] std::array<double, level_count> pairs_by_level() const;

  /// How many ordered pairs of processors of different nodes lead from one cluster to another one, or stay in
  /// it. O(processors + nodes).
  [[nodiscard]] double pairs_between(std::uint32_t from, std::uint32_t to) const;

  friend bool operator==(const Platform&, const Platform&) = default;
};

}  // namespace takt
