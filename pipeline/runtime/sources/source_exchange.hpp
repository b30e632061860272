#pragma once
/// What joined sources on different ranks tell one another (sensors/joining/source_group.hpp), over MPI.

#include <cstddef>
#include <deque>
#include <vector>

#include <mpi.h>

#include "logp/mpi/own_communicator.hpp"
#include "sensors/joining/source_group.hpp"

namespace takt::pipeline {

/// One message of 48 bytes a frame from each rank with sources to each other one. Used by the thread alone
/// that calls MPI.
class SourceExchange {
 public:
  /// Collective. `has_sources`: whether there are any on this rank.
  SourceExchange(MPI_Comm communicator, bool has_sources);
  SourceExchange(const SourceExchange&) = delete;
  SourceExchange& operator=(const SourceExchange&) = delete;

  /// Whether this rank is the first one with sources: its group decides.
  [[nodiscard]] bool decides() const { return decides_; }
  /// Whether sources are on several ranks.
  [[nodiscard]] bool has_others() const { return !others_.empty(); }
  /// Sends what is to be told, and takes what has come. Does not wait.
  void exchange(sensors::SourceGroup& group);
  /// Takes what is still under way, once no rank sends any more: behind a barrier.
  void end();

 private:
  struct Sent {
    sensors::GroupMessage news;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  [[nodiscard]] bool receive(sensors::GroupMessage& news);

  mpi::OwnCommunicator communicator_;
  std::vector<int> others_;
  bool decides_ = false;
  /// In their order; a deque does not move what MPI reads.
  std::deque<Sent> sent_;
};

}  // namespace takt::pipeline
