#pragma once
/// Lower bounds for moldable tasks; other bounds assume one processor per task.

#include "core/graphs/task_graph.hpp"
#include "core/period.hpp"
#include "logp/machine.hpp"

namespace takt::schedulers {

struct GroupBounds {
  /// The longest path, each task as fast as on all processors of the largest cluster, all at the speed of the
  /// fastest one.
  Time critical_path{0};
  /// No schedule has a smaller period: the work, which is least on one processor, is divided among all
  /// processors; a stateful task processes one frame after the other.
  Period period;
  /// Whether a stateful task determines the period.
  bool is_of_state = false;
};

/// O(n + m + P).
[[nodiscard]] GroupBounds group_bounds(const TaskGraph& graph, const logp::Machine& machine);

}  // namespace takt::schedulers
