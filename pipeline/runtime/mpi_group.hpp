#pragma once
/// A group of ranks over MPI: pieces go from each member to each other one at once.

#include <functional>
#include <vector>

#include <mpi.h>

#include "pipeline/group.hpp"

namespace takt::pipeline {

class MpiGroup final : public Group {
 public:
  /// These ranks of the communicator, of which `own` (its place among them) is this one. No other messages
  /// between them have this tag. Local: the others are not asked.
  /// `while_waiting` is called again and again while an exchange waits.
  MpiGroup(
      MPI_Comm communicator, std::vector<int> ranks, std::size_t own, int tag,
      std::function<void()> while_waiting = [] {});

  [[nodiscard]] std::size_t size() const override { return ranks_.size(); }
  [[nodiscard]] std::size_t rank() const override { return own_; }
  /// Pieces of no bytes are no messages. While it waits for others, the task is not held to hang: it is they
  /// who may (activity.hpp). Throws WorkError when a piece has 2 GiB or more.
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
