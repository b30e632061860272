#pragma once
/// How high the frequency can be when stateless tasks may run successive frames on different processors.

#include <string_view>

#include "core/period.hpp"
#include "core/schedule.hpp"
#include "core/task_graph.hpp"
#include "logp/machine.hpp"

namespace takt::schedulers {

/// Whether any task may run successive frames on different processors, and there is more than one of these.
[[nodiscard]] bool can_replicate(const TaskGraph& graph, const logp::Machine& machine);

struct ReplicationBound {
  Period period;
  /// A sentence for people: why no schedule is faster.
  std::string_view reason;
};

/// No schedule, with however many replicas, has a smaller period. The largest task is no bound: one frame can
/// be at work on it here and the next one there. What remains is the work over the processors (by their
/// speeds), the largest task with state, and, on processors that are alike, what it costs to take frames to
/// other processors and back; proven in replication_bound.cpp. O(n + m). Without stateless tasks use
/// PeriodBounds (bounds.hpp), which is sharper.
[[nodiscard]] ReplicationBound replication_bound(const TaskGraph& graph, const logp::Machine& machine);
/// The same for schedules on `used` of the processors, whichever.
[[nodiscard]] ReplicationBound replication_bound(const TaskGraph& graph, const logp::Machine& machine,
                                                 std::size_t used);

/// Notes this bound in the schedule, and whether it is met exactly.
void add_replication_bound(const TaskGraph& graph, const logp::Machine& machine, Schedule& schedule);

}  // namespace takt::schedulers
