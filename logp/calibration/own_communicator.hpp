#pragma once
/// A communicator of our own, so that no message is mistaken for another one's.

#include <mpi.h>

namespace takt::logp {

class OwnCommunicator {
 public:
  /// Collective.
  explicit OwnCommunicator(MPI_Comm parent) { MPI_Comm_dup(parent, &communicator_); }
  OwnCommunicator(const OwnCommunicator&) = delete;
  OwnCommunicator& operator=(const OwnCommunicator&) = delete;
  ~OwnCommunicator() { MPI_Comm_free(&communicator_); }
  [[nodiscard]] MPI_Comm get() const { return communicator_; }

 private:
  MPI_Comm communicator_ = MPI_COMM_NULL;
};

}  // namespace takt::logp
