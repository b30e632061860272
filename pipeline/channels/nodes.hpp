#pragma once
/// Which ranks can share memory.

#include <vector>

#include <mpi.h>

namespace takt::pipeline {

/// A number for each rank; ranks of one node, and only they, have the same. Collective.
///
/// A node is what a process sees of one: the same start of the same kernel, the same processes, host name and
/// network. So containers and emulated hosts on one machine are different nodes.
[[nodiscard]] std::vector<int> nodes_of_ranks(MPI_Comm communicator);

}  // namespace takt::pipeline
