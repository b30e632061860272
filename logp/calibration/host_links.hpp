#pragma once
/// Links between hosts that are unlike each other: which pairs of hosts are alike, and what those cost that
/// are not as their level.

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

/// Of more pairs than this only one of each level is measured: all of eight hosts take some seconds.
inline constexpr std::size_t most_host_pairs = 28;

/// All pairs of hosts, in ascending order of ranks; none where there are fewer than two or more than
/// most_host_pairs. O(ranks^2).
[[nodiscard]] std::vector<HostPair> host_pairs(const std::vector<RankLocation>& locations);

struct MeasuredPair {
  HostPair pair;
  LinkCosts costs;
};

/// Pairs of one level between which messages take about the same time.
struct LinkClass {
  Level level = Level::cluster;
  /// Indices among the measured pairs; the first one stands for all: the median of them.
  std::vector<std::size_t> members;
  /// The largest class of its level (the slower of equal ones), whose costs are the level's.
  bool is_of_level = false;
};

/// Two pairs of a class differ at most so much from the class's quickest, with lone messages of 64 bytes and
/// of 64 KiB.
inline constexpr double alike = 2;

/// Every pair in one class; of each level first the class that is the level's, then the others.
[[nodiscard]] std::vector<LinkClass> classify(const std::vector<MeasuredPair>& pairs);

/// The costs of all pairs of ranks, in both directions, that run on these two hosts.
[[nodiscard]] std::vector<PairCosts> costs_between(const HostPair& pair, const LinkCosts& costs,
                                                   const Platform& platform);

}  // namespace takt::logp
