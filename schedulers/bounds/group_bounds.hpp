#pragma once
/// Lower bounds where tasks are moldable: those of other tasks count on one processor a task.

#include "core/graphs/task_graph.hpp"
#include "core/period.hpp"
#include "logp/machine.hpp"

namespace takt::schedulers {

struct GroupBounds {
  /// The longest path, each task as fast as on all processors of the largest cluster, all as fast as the
  /// fastest one.
  Time critical_path{0};
  /// No schedule has a smaller period: all work, which is least on one processor, shared out to all; and a
  /// task with state sees one frame after the other.
  Period period;
  /// Whether that is a task with state.
  bool is_of_state = false;
};

/// O(n + m + P).
[[nodiscard]] GroupBounds group_bounds(const TaskGraph& graph, const logp::Machine& machine);

}  // namespace takt::schedulers
