#pragma once
/// Machine files.
///
///     processors: 3
///     speeds: [1, 1, 2]        # optional, 1 each
///     nodes: [0, 0, 1]         # node of each processor; optional, each its own
///     clusters: [0, 0]         # cluster of each node; optional, all in one
///     costs:                   # `all`, or each of `node`, `cluster` and `wide` that there is
///       node: {latency: 300, overhead: 200 + 0.05, gap: 250}
///       cluster:
///         latency: 12000 + 0.1                      # nanoseconds + nanoseconds a byte
///         send_overhead:                            # piecewise: sizes from `from` bytes on
///           - {from: 0, cost: 900 + 0.2}
///           - {from: 4096, cost: 2500 + 0.1}
///         receive_overhead: 1000
///         gap: 1500                                 # both send_gap and receive_gap
///       pairs:                 # optional: pairs of processors with other costs; costs that an entry omits
///         - {between: [0, 2], latency: 15000}       # are those of the level
///         - {from: 1, to: 2, gap: 2000}             # in one direction
///     network: {topology: mesh:2x2, link: 0 + 1}     # optional; or nodes and links one by one:
///     network:
///       nodes: 3
///       switches: 1          # optional: number of last nodes without processors
///       circuits: true       # optional: a message holds all links of its route together
///       links: [{from: 0, to: 1, cost: 5 + 1}, {between: [1, 2], cost: 5 + 1}]
///
/// Types of cores instead of `processors`: how many there are of each, optionally with a speed. A graph can
/// have work by type. With `processors`, `core_types` is a list with the type of each processor.
///
///     core_types: {big: 4, little: {processors: 16, speed: 0.4}}
///
/// Clusters of equal processors, each a node of its own, instead of `processors`, `speeds`, `nodes` and
/// numbers of `clusters`; costs by pair of clusters, by name or number, instead of `wide` or `cluster`:
///
///     clusters: [{name: lille, processors: 53, speed: 3.336}, {name: lyon, processors: 56, speed: 3.254}]
///     costs:
///       cluster: {latency: 300000 + 8, gap: 0 + 8}
///       wide: {latency: 5600000 + 8, gap: 0 + 8, backbone: 0 + 0.8}   # shared by a redistribution
///       cluster_pairs: [{between: [lille, lyon], latency: 3100000 + 8}, {from: 0, to: 0, latency: 2e5}]
///
/// A measured machine has several profiles of costs instead of `costs`:
///
///     profile: predict         # the default profile
///     profiles:
///       predict: {node: {latency: 300, overhead: 200, gap: 250}}
///       verify: {node: {latency: 400, overhead: 300, gap: 280}}
///     calibration: {...}       # origin of the costs, for users

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "logp/machine.hpp"

namespace takt::logp {

/// Returns text that machine_from_yaml reads back to an equal machine.
[[nodiscard]] std::string to_yaml(const Machine& machine);

/// A named set of a machine's link costs.
struct CostProfile {
  std::string_view name;
  std::array<LinkCosts, level_count> costs;
  std::vector<PairCosts> pairs = {};
};

/// Returns a file with profiles, of which the first one is the default.
[[nodiscard]] std::string to_yaml(const Platform& platform, std::span<const CostProfile> profiles);

/// `profile`: the profile of the file to use; empty: the file's default. Throws ConfigError with every error
/// of the text, each with `file:line:column`.
[[nodiscard]] Machine machine_from_yaml(const std::string& text, const std::string& file,
                                        std::string_view profile = {});

}  // namespace takt::logp
