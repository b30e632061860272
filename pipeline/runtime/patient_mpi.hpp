#pragma once
/// Blocking MPI calls that leave the core to others while they wait.

#include <mpi.h>

namespace takt::pipeline {

/// MPI_Wait, with Patience.
void wait_patiently(MPI_Request& request);

/// MPI_Barrier, with Patience.
void barrier_patiently(MPI_Comm communicator);

}  // namespace takt::pipeline
