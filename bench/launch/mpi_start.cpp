/// Ranks that come up and end, by MPI alone: what launch.py measures takt's start beside.

#include <mpi.h>

int main(int count, char** words) {
  MPI_Init(&count, &words);
  MPI_Finalize();
}
