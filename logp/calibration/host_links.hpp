#pragma once
/// Heterogeneous links between hosts: classes of similar pairs of hosts, and the costs of pairs that differ
/// from their level.

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "logp/calibration/topology.hpp"
#include "logp/machine.hpp"

namespace takt::logp {

/// Two hosts, by their first ranks.
struct HostPair {
  Level level = Level::cluster;
  std::array<int, 2> ranks{};
  friend bool operator==(const HostPair&, const HostPair&) = default;
};

/// Largest number of measured pairs (all of eight hosts, some seconds); otherwise one of each level.
inline constexpr std::size_t most_host_pairs = 28;

/// Returns all pairs of hosts, in ascending order of ranks; empty for fewer than two or more than
/// most_host_pairs. O(ranks^2).
[[nodiscard]] std::vector<HostPair> host_pairs(const std::vector<RankLocation>& locations);

struct MeasuredPair {
  HostPair pair;
  LinkCosts costs;
};

/// Pairs of one level with similar message times.
struct LinkClass {
  Level level = Level::cluster;
  /// Indices of the measured pairs; the first one, the median, represents all.
  std::vector<std::size_t> members;
  /// The largest class of its level (the slower of equal ones), whose costs are the level's.
  bool is_of_level = false;
};

/// Largest ratio of a pair of a class to the class's fastest pair, for single messages of 64 bytes and of 64
/// KiB.
inline constexpr double alike = 2;

/// Returns every pair in one class; for each level the level's class first, then the others.
[[nodiscard]] std::vector<LinkClass> classify(const std::vector<MeasuredPair>& pairs);

/// Returns the costs of all pairs of ranks on these two hosts, in both directions.
[[nodiscard]] std::vector<PairCosts> costs_between(const HostPair& pair, const LinkCosts& costs,
                                                   const Platform& platform);

}  // namespace takt::logp
