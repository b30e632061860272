#pragma once
/// The structure of the machine: its processors, their speeds, nodes and clusters.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/ids.hpp"
#include "core/network.hpp"
#include "core/units.hpp"

namespace takt {

/// The distance of two processors.
enum class Level : std::uint8_t { processor, node, cluster, wide };
inline constexpr std::size_t level_count = 4;

/// Processors with their speeds, in nodes, in clusters.
struct Platform {
  /// Work per time relative to a processor of speed 1; one entry per processor, all positive.
  std::vector<double> speeds;
  /// Node of each processor and cluster of each node, numbered from 0.
  std::vector<std::uint32_t> node_of;
  std::vector<std::uint32_t> cluster_of_node;
  /// Distinct names of the clusters; empty if they have none.
  std::vector<std::string> cluster_names = {};
  /// Distinct names of the types of cores, in the order of their first processors, and the type of each
  /// processor; both empty without types. Processors of one type do equal work in equal time.
  std::vector<std::string> core_types = {};
  std::vector<std::uint32_t> type_of = {};
  /// Links between the nodes, for schedulers that route messages; empty if not needed.
  Network network;

  /// Returns `count` processors of speed 1, each in its own node, all in one cluster.
  [[nodiscard]] static Platform uniform(std::size_t count);

  /// Sets the type of the next processor without one, by name.
  void add_type(std::string_view name);
  /// Returns only these processors, in this order, in the same nodes.
  [[nodiscard]] Platform subset(std::span<const ProcessorId> processors) const;
  /// Returns a platform of `count` processors; the new ones are as fast as the fastest and of its type, each
  /// in its own node of the first cluster. At most `most_grown()`.
  [[nodiscard]] Platform grown(std::size_t count) const;
  /// Returns the largest number of processors with one in each new node. If a network has no free node, none
  /// can be added, since its links are unknown.
  [[nodiscard]] std::size_t most_grown() const;

  [[nodiscard]] std::size_t processor_count() const { return speeds.size(); }
  [[nodiscard]] std::uint32_t cluster(ProcessorId processor) const {
    return cluster_of_node[node_of[processor.index()]];
  }
  /// Returns the name of a processor's type; empty without types.
  [[nodiscard]] std::string_view core_type(ProcessorId processor) const {
    return type_of.empty() ? std::string_view() : core_types[type_of[processor.index()]];
  }
  /// Returns one more than the highest number of a cluster.
  [[nodiscard]] std::size_t cluster_count() const;
  [[nodiscard]] Level level(ProcessorId a, ProcessorId b) const {
    if (a == b) return Level::processor;
    const std::uint32_t node_a = node_of[a.index()], node_b = node_of[b.index()];
    if (node_a == node_b) return Level::node;
    return cluster_of_node[node_a] == cluster_of_node[node_b] ? Level::cluster : Level::wide;
  }
  /// Returns the number of ordered pairs of processors per distance. O(processors + nodes log nodes).
  [[nodiscard]] std::array<double, level_count> pairs_by_level() const;

  /// Returns the number of ordered pairs of processors in different nodes that lead from one cluster to the
  /// other (or stay in it). O(processors + nodes).
  [[nodiscard]] double pairs_between(std::uint32_t from, std::uint32_t to) const;

  friend bool operator==(const Platform&, const Platform&) = default;
};

}  // namespace takt
