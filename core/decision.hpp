#pragma once
/// The trace of a scheduling algorithm: its decisions in order, for users who want to follow it.

#include <cstdint>
#include <string>
#include <vector>

#include "core/ids.hpp"
#include "core/units.hpp"

namespace takt {

/// The assignment of a task to a processor; or to a cluster, the first step of clustering algorithms.
struct Decision {
  TaskId task;
  /// Number of the processor, or of the cluster.
  std::uint32_t place = 0;
  bool is_cluster = false;
  /// The algorithm's own estimates; those of the schedule may differ.
  Time start{0};
  Time end{0};
  /// In the algorithm's own terms; may be empty.
  std::string reason;
  friend bool operator==(const Decision&, const Decision&) = default;
};
/// In the order of the decisions. A task may occur several times: for its cluster and for its processor, or
/// when the algorithm revises a decision.
using Decisions = std::vector<Decision>;

}  // namespace takt
