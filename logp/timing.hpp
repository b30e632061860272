#pragma once
/// From "which task where, in which order" to a timetable, under any machine.
///
/// One engine serves every scheduler. It never decides anything: it starts each operation as early as the model
/// allows, then starts each processor as late as does no harm to the makespan, so that blank time at its start
/// disappears.

#include <span>
#include <vector>

#include "core/schedule.hpp"
#include "logp/machine.hpp"

namespace takt::logp {

/// Where every task runs, and in which order each processor runs its tasks.
struct Allocation {
  /// For each processor its tasks, in order of execution.
  std::vector<std::vector<TaskId>> order;

  /// Processor of each task. Throws ConfigError when a task is missing or stands twice.
  [[nodiscard]] std::vector<ProcessorId> processor_of(const TaskGraph& graph) const;
};

/// Relay style (BasicFO): data only moves from one processor of the chain to the next one, everything that is needed
/// further on in one message a boundary. `chain` lists the processors in order; tasks must only depend on tasks of the
/// same or an earlier processor. A processor starts only when its predecessor's message is there.
[[nodiscard]] Schedule time_relay(const TaskGraph& graph, const Machine& machine, const Allocation& allocation,
                                  std::span<const ProcessorId> chain);

/// Layer messages (Greedy): for each layer in turn a processor first receives every message that carries data first
/// needed in this layer (in order of arrival), then computes its tasks of the layer, then sends, once per destination,
/// all data made in this layer that the destination needs (in order of destination).
[[nodiscard]] Schedule time_layer_messages(const TaskGraph& graph, const Machine& machine,
                                           const Allocation& allocation);

/// Task messages: after each task its data goes to every other processor that needs it, in order of destination;
/// a processor receives what a task needs just before the task, in order of arrival.
struct TaskMessageOptions {
  /// One message per (task, destination) with all the data, or one per datum.
  bool aggregate = true;
};
[[nodiscard]] Schedule time_task_messages(const TaskGraph& graph, const Machine& machine,
                                          const Allocation& allocation, TaskMessageOptions options = {});

}  // namespace takt::logp
