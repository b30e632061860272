#pragma once
/// A private communicator, which separates its messages from all others.

#include <mpi.h>

#include "logp/mpi/blocking.hpp"

namespace takt::mpi {

class OwnCommunicator {
 public:
  /// Collective.
  explicit OwnCommunicator(MPI_Comm parent) : communicator_(duplicate(parent)) {}
  OwnCommunicator(const OwnCommunicator&) = delete;
  OwnCommunicator& operator=(const OwnCommunicator&) = delete;
  ~OwnCommunicator() { MPI_Comm_free(&communicator_); }
  [[nodiscard]] MPI_Comm get() const { return communicator_; }

 private:
  MPI_Comm communicator_;
};

}  // namespace takt::mpi
