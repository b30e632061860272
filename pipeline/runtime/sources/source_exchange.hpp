#pragma once
/// Exchanges messages of joined sources on different ranks (sensors/joining/source_group.hpp) over MPI.

#include <cstddef>
#include <deque>
#include <vector>

#include <mpi.h>

#include "logp/mpi/own_communicator.hpp"
#include "sensors/joining/source_group.hpp"

namespace takt::pipeline {

/// Each rank with sources sends one message of 48 bytes per frame to each other rank with sources. Only the
/// thread that calls MPI uses it.
class SourceExchange {
 public:
  /// Collective. `has_sources`: whether this rank has sources.
  SourceExchange(MPI_Comm communicator, bool has_sources);
  SourceExchange(const SourceExchange&) = delete;
  SourceExchange& operator=(const SourceExchange&) = delete;

  /// Returns whether this rank is the first one with sources: its group decides.
  [[nodiscard]] bool decides() const { return decides_; }
  /// Sends the outgoing messages of the group, and passes the received ones to it. Does not wait.
  void exchange(sensors::SourceGroup& group);
  /// Completes the sends and receives the messages under way. Collective: contains a barrier.
  void end();

 private:
  struct Sent {
    sensors::GroupMessage message;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  [[nodiscard]] bool receive(sensors::GroupMessage& message);

  mpi::OwnCommunicator communicator_;
  std::vector<int> others_;
  bool decides_ = false;
  /// In the order of sending; a deque does not move the buffers that MPI reads.
  std::deque<Sent> sent_;
};

}  // namespace takt::pipeline
