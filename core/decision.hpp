#pragma once
/// How a schedule came about, one decision after the other, for people who want to follow an algorithm.

#include <cstdint>
#include <string>
#include <vector>

#include "core/ids.hpp"
#include "core/units.hpp"

namespace takt {

/// A scheduler has given a task to a processor; or to a cluster, as clustering algorithms do first.
struct Decision {
  TaskId task;
  /// Number of the processor, or of the cluster.
  std::uint32_t place = 0;
  bool is_cluster = false;
  /// As the algorithm reckoned with them; those of the schedule may differ.
  Time start{0};
  Time end{0};
  /// In the algorithm's own terms; may be empty.
  std::string reason;
  friend bool operator==(const Decision&, const Decision&) = default;
};
/// In the order in which they were taken. A task may come several times: for its cluster and for its
/// processor, or when the algorithm has changed its mind.
using Decisions = std::vector<Decision>;

}  // namespace takt
