#pragma once
/// Which ranks can share memory.

#include <vector>

#include <mpi.h>

namespace takt::pipeline {

/// For each rank the first rank of its node. Collective.
///
/// A node is what a process sees of one: the same start of the same kernel, the same processes, clock, host
/// name and network. So containers and emulated hosts on one machine are different nodes.
[[nodiscard]] std::vector<int> nodes_of_ranks(MPI_Comm communicator);

}  // namespace takt::pipeline
