#pragma once
/// Finds the ranks of each node, which can share memory, and the processors of the node.

#include <cstddef>
#include <vector>

#include <mpi.h>

#include "pipeline/runtime/channels/node_memory.hpp"

namespace takt::pipeline {

/// Returns, for each rank, the first rank of its node. Collective.
///
/// Ranks are on one node if they see the same boot of the kernel, host name, processes, network and clock.
/// Containers and emulated hosts on one machine are therefore different nodes.
[[nodiscard]] std::vector<int> nodes_of_ranks(MPI_Comm communicator);

/// Share of a rank in its node.
struct NodeShare {
  /// The first rank of its node.
  int node = 0;
  std::size_t ranks = 1;
  /// Processors that the ranks of the node may use together, even if each is bound to a few of them.
  std::size_t processors = 1;
  /// Cores of each rank.
  std::size_t cores = 1;

  /// True if several ranks share a processor.
  [[nodiscard]] bool is_oversubscribed() const { return ranks * cores > processors; }
};

/// Returns the share of each rank. Collective.
[[nodiscard]] std::vector<NodeShare> node_shares(MPI_Comm communicator);

/// Returns memory shared by the ranks with `takes_part`, which must be on one node; no memory on other ranks.
/// Collective. Throws WorkError.
[[nodiscard]] NodeMemory share_memory(MPI_Comm communicator, bool takes_part, std::size_t bytes);

}  // namespace takt::pipeline
