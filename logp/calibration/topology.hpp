#pragma once
/// Locations of the ranks: hosts, cores, and shared hardware.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <mpi.h>

#include "core/platform.hpp"

namespace takt::logp {

/// The location of one rank.
struct RankLocation {
  std::string host;
  /// Of the running kernel: containers or name spaces of one computer have the same one.
  std::string computer;
  /// From the machine down to this rank's core, for example `Machine#0 Package#0 L3#0 L2#1 Core#1`; shorter
  /// if the rank may run on several cores.
  std::string path;
  /// Origin of the binding: `takt`, `launcher` or `nobody`.
  std::string bound_by;
  /// `Intel(R) Xeon(R) Gold 6130`, `Linux 6.1.0`.
  std::string processor;
  /// Of its cores: `IntelCore`, `IntelAtom`, or `efficiency 1` where hwloc knows no name; empty if all cores
  /// of its host are alike, or it may run on cores of several types.
  std::string core_type;
  std::string system;
  /// Cores of its host that it may use.
  std::uint64_t cores = 0;
  /// Hash of the host's hardware, as reported by hwloc, and of its system.
  std::uint64_t fingerprint = 0;
};

/// Returns the number of cores that this process may use.
[[nodiscard]] std::size_t usable_cores();

/// Returns the locations of all ranks. With `bind`, a rank that may run on several cores first binds itself
/// to one; ranks of a computer use different cores as long as there are enough. Collective.
[[nodiscard]] std::vector<RankLocation> find_locations(MPI_Comm communicator, bool bind);

/// Returns a node per host; hosts of a domain (`a.site.org`, `b.site.org`) form a cluster. All speeds 1.
/// Ranks on other processors or types of cores have types: the name of the type where it is distinct,
/// otherwise `type-1`, ....
[[nodiscard]] Platform platform_of(const std::vector<RankLocation>& locations);

/// Ranks whose messages use equivalent routes.
struct LinkKind {
  Level level = Level::node;
  /// The closest object that the two share: `L3`, `Package`, `Machine`; empty between hosts.
  std::string shares;
  /// The two ranks to measure, then others at the same distance, all on separate cores; at most four.
  std::vector<int> ranks;
  /// Whether the two share one core.
  bool on_one_core = false;
  /// Between hosts: the pairs of hosts (by their first ranks) of this kind; empty: all of the level that
  /// belong to no other kind.
  std::vector<std::array<int, 2>> host_pairs = {};
};

/// `node`, `cluster`, `wide`.
[[nodiscard]] std::string_view name_of(Level level);
/// `node (L3)`, `cluster (ranks 0 and 3)`.
[[nodiscard]] std::string name_of(const LinkKind& kind);

/// Returns each kind once, nearest first, between ranks on separate cores if possible. O(ranks^2).
[[nodiscard]] std::vector<LinkKind> find_link_kinds(const std::vector<RankLocation>& locations);

}  // namespace takt::logp
