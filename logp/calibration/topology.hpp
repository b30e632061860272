#pragma once
/// Where the ranks run: hosts, cores, and what they share.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <mpi.h>

#include "core/platform.hpp"

namespace takt::logp {

/// Where one rank runs.
struct RankLocation {
  std::string host;
  /// Of the running kernel: hosts that are containers or name spaces of one computer have the same.
  std::string computer;
  /// From the machine down to this rank's core, for example `Machine#0 Package#0 L3#0 L2#1 Core#1`; ends
  /// earlier when the rank may run on several cores.
  std::string path;
  /// Who bound it there: `takt`, `launcher` or `nobody`.
  std::string bound_by;
  /// `Intel(R) Xeon(R) Gold 6130`, `Linux 6.1.0`.
  std::string processor;
  std::string system;
  /// Cores of its host that it may use.
  std::uint64_t cores = 0;
  /// Of the host's hardware as hwloc sees it, and its system.
  std::uint64_t fingerprint = 0;
};

/// Cores that this process may use.
[[nodiscard]] std::size_t usable_cores();

/// Everybody's locations, by rank. With `bind`, a rank that may run on several cores first binds itself to
/// one, each rank of a computer to another one as long as there are enough. Collective.
[[nodiscard]] std::vector<RankLocation> find_locations(MPI_Comm communicator, bool bind);

/// A node for each host; hosts of one domain (`a.site.org` and `b.site.org`) in one cluster. All speeds 1.
[[nodiscard]] Platform platform_of(const std::vector<RankLocation>& locations);

/// Ranks between which messages take the same way.
struct LinkKind {
  Level level = Level::node;
  /// The closest thing that the two share: `L3`, `Package`, `Machine`; empty between hosts.
  std::string shares;
  /// The two to be measured, then others as far from the first one, all on cores of their own; at most four.
  std::vector<int> ranks;
  /// The two have one core together.
  bool on_one_core = false;
  /// Between hosts: the pairs of hosts (by their first ranks) that this kind is of; empty: all of the level
  /// that are of no other kind.
  std::vector<std::array<int, 2>> host_pairs = {};
};

/// `node`, `cluster`, `wide`.
[[nodiscard]] std::string_view name_of(Level level);
/// `node (L3)`, `cluster (ranks 0 and 3)`.
[[nodiscard]] std::string name_of(const LinkKind& kind);

/// Each kind once, nearest first, between ranks on cores of their own where there are such. O(ranks^2).
[[nodiscard]] std::vector<LinkKind> find_link_kinds(const std::vector<RankLocation>& locations);

}  // namespace takt::logp
