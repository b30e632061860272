#pragma once
/// Which ranks can share memory, and the processors that they share with it.

#include <cstddef>
#include <vector>

#include <mpi.h>

#include "pipeline/runtime/channels/node_memory.hpp"

namespace takt::pipeline {

/// For each rank the first rank of its node. Collective.
///
/// A node is what a process sees of one: the same start of the same kernel, the same processes, clock, host
/// name and network. So containers and emulated hosts on one machine are different nodes.
[[nodiscard]] std::vector<int> nodes_of_ranks(MPI_Comm communicator);

/// What a rank shares with the others of its node.
struct NodeShare {
  /// The first rank of its node.
  int node = 0;
  std::size_t ranks = 1;
  /// That its ranks may use together: each may be bound to a few of them, or all to the same ones.
  std::size_t processors = 1;

  /// Whether ranks take turns on processors.
  [[nodiscard]] bool is_oversubscribed() const { return ranks > processors; }
};

/// For each rank. Collective.
[[nodiscard]] std::vector<NodeShare> node_shares(MPI_Comm communicator);

/// Memory that those ranks have in common that take part, which are of one node; none on others. Collective.
/// Throws WorkError.
[[nodiscard]] NodeMemory share_memory(MPI_Comm communicator, bool takes_part, std::size_t bytes);

}  // namespace takt::pipeline
