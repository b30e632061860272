#pragma once
/// What two processors of a node take to hand something over to each other, at the moment.

#include <cstdint>
#include <optional>
#include <vector>

#include <mpi.h>
#include <sched.h>

#include "core/units.hpp"
#include "pipeline/channels/nodes.hpp"

namespace takt::pipeline {

/// Which state the machine is in. A host moves the processors of a guest: onto one part of its cache or
/// apart, which makes messages dearer or memory, and a plan that was rehearsed in one state runs in another
/// one by 5 to 20 % faster or slower (docs/decisions/0125). What a kilobyte and one back take two ranks tells
/// the states apart (0.2 to 0.9 us), whatever the pipeline does.
class HandOver {
 public:
  /// Between the first two ranks of the first node that has two, and a processor for each of its ranks;
  /// `processors` are those that this rank keeps to while it runs. Collective. Throws WorkError where there
  /// is no memory to share.
  HandOver(const NodeShare& share, std::optional<cpu_set_t> processors, MPI_Comm communicator);

  /// Nanoseconds, the lower quartile of 200 times; nothing where there are no such ranks, or one of them had
  /// its processor taken from it. The same on all ranks. Takes 0.2 ms. Collective.
  [[nodiscard]] std::optional<double> look();

 private:
  struct Shared;
  [[nodiscard]] std::optional<double> exchange(bool begins);

  MPI_Comm communicator_;
  std::optional<cpu_set_t> processors_;
  /// The two of them; nobody.
  std::vector<int> ranks_;
  int rank_ = 0;
  NodeMemory memory_;
  std::uint64_t looks_ = 0;
};

}  // namespace takt::pipeline
