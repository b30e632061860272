#pragma once
/// The latency of a schedule with periodic arrivals of frames.

#include <optional>
#include <vector>

#include "core/graphs/task_graph.hpp"
#include "core/schedule.hpp"
#include "logp/machine.hpp"

namespace takt::schedulers {

/// Returns the median latency of frames when an iteration has several of them that arrive one by one, this
/// many ticks apart. A processor then waits for one frame in its order while another has arrived, which the
/// schedule does not show. Simulates twenty iterations. Returns nothing if an iteration has one frame, the
/// schedule does not keep up, or tasks run on groups of processors.
[[nodiscard]] std::optional<Time> paced_latency(const TaskGraph& graph, const logp::Machine& machine,
                                                const Schedule& schedule, double frame_interval);

/// Returns the same up to the end of each of these tasks, which the schedule must contain.
[[nodiscard]] std::optional<std::vector<Time>> paced_latencies_to(const std::vector<TaskId>& tasks,
                                                                  const TaskGraph& graph,
                                                                  const logp::Machine& machine,
                                                                  const Schedule& schedule,
                                                                  double frame_interval);

}  // namespace takt::schedulers
