#pragma once
/// Blocking MPI calls that free the core while they wait. MPI's own calls spin; on oversubscribed or busy
/// cores, every hop then costs a time slice.

#include <string>
#include <vector>

#include <mpi.h>

namespace takt::mpi {

/// MPI_Wait, with Backoff.
void wait(MPI_Request& request);

/// MPI_Barrier, with Backoff.
void barrier(MPI_Comm communicator);

/// The same for a long wait next to working ranks: polls every four milliseconds.
void await_others(MPI_Comm communicator);

/// MPI_Comm_dup, with Backoff.
[[nodiscard]] MPI_Comm duplicate(MPI_Comm communicator);

/// Returns every rank's number, by rank.
[[nodiscard]] std::vector<int> gather(int number, MPI_Comm communicator);
/// Returns every rank's text, by rank.
[[nodiscard]] std::vector<std::string> gather(const std::string& text, MPI_Comm communicator);
/// Returns rank 0's text on every rank.
[[nodiscard]] std::string broadcast(std::string text, MPI_Comm communicator);

}  // namespace takt::mpi
