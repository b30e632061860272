#include "pipeline/runtime/patient_mpi.hpp"

#include "pipeline/runtime/patience.hpp"

namespace takt::pipeline {

void wait_patiently(MPI_Request& request) {
  Patience patience;
  int done = 0;
  while (MPI_Test(&request, &done, MPI_STATUS_IGNORE), done == 0) patience.wait();
}

void barrier_patiently(MPI_Comm communicator) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(communicator, &request);
  wait_patiently(request);
}

}  // namespace takt::pipeline
