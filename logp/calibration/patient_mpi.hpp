#pragma once
/// Blocking MPI calls that leave the core to others while they wait. MPI's own calls spin, and where ranks
/// share cores, or somebody else works on them, every hop then costs a time slice.

#include <string>
#include <vector>

#include <mpi.h>

namespace takt::logp {

/// MPI_Wait, with Patience.
void wait_patiently(MPI_Request& request);

/// MPI_Barrier, with Patience.
void barrier_patiently(MPI_Comm communicator);

/// MPI_Comm_dup, with Patience.
[[nodiscard]] MPI_Comm duplicate_patiently(MPI_Comm communicator);

/// Every rank's number, by rank.
[[nodiscard]] std::vector<int> gather_patiently(int number, MPI_Comm communicator);
/// Every rank's text, by rank.
[[nodiscard]] std::vector<std::string> gather_patiently(const std::string& text, MPI_Comm communicator);
/// Rank 0's text on every rank.
[[nodiscard]] std::string broadcast_patiently(std::string text, MPI_Comm communicator);

}  // namespace takt::logp
