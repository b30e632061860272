#pragma once
/// The latency of a schedule whose frames come at a pace.

#include <optional>
#include <vector>

#include "core/graphs/task_graph.hpp"
#include "core/schedule.hpp"
#include "logp/machine.hpp"

namespace takt::schedulers {

/// What the median frame takes where a repetition holds several that come one by one, so many ticks apart: a
/// processor waits for one in its order while another has come, and the schedule does not tell. By the
/// simulation of twenty repetitions. Nothing where a repetition holds one frame, the schedule does not keep
/// up, or tasks run on groups of processors.
[[nodiscard]] std::optional<Time> paced_latency(const TaskGraph& graph, const logp::Machine& machine,
                                                const Schedule& schedule, double frame_interval);

/// The same to the end of each of these tasks, which the schedule has.
[[nodiscard]] std::optional<std::vector<Time>> paced_latencies_to(const std::vector<TaskId>& tasks,
                                                                  const TaskGraph& graph,
                                                                  const logp::Machine& machine,
                                                                  const Schedule& schedule,
                                                                  double frame_interval);

}  // namespace takt::schedulers
