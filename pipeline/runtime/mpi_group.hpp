#pragma once
/// A group of ranks over MPI: all members exchange pieces with each other in parallel.

#include <functional>
#include <vector>

#include <mpi.h>

#include "pipeline/group.hpp"

namespace takt::pipeline {

class MpiGroup final : public Group {
 public:
  /// `ranks` are the members, as ranks of the communicator; `own` is the index of this rank among them. No
  /// other messages between the members have this tag. Local: it communicates with no rank. `while_waiting`
  /// is called repeatedly while an exchange waits.
  MpiGroup(
      MPI_Comm communicator, std::vector<int> ranks, std::size_t own, int tag,
      std::function<void()> while_waiting = [] {});

  [[nodiscard]] std::size_t size() const override { return ranks_.size(); }
  [[nodiscard]] std::size_t rank() const override { return own_; }
  /// Empty pieces are not sent. While the task waits for other members, it does not count as hanging: they
  /// may hang (activity.hpp). Throws WorkError when a piece has 2 GiB or more.
  void exchange(std::span<const std::span<const std::byte>> outgoing,
                std::span<const std::span<std::byte>> incoming) override;

 private:
  MPI_Comm communicator_;
  std::vector<int> ranks_;
  std::size_t own_;
  int tag_;
  std::function<void()> while_waiting_;
  std::vector<MPI_Request> requests_;
};

}  // namespace takt::pipeline
