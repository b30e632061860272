#pragma once
/// Computes a timetable from an allocation and its orders, under any machine.
///
/// One engine serves every scheduler. It makes no decisions: it starts each operation as early as the model
/// allows, then, on request, as late as possible, so that waiting does not occupy a processor.
///
/// Every schedule made here can repeat with the period that measure() returns: if a gap or the capacity
/// forbids the largest occupancy, Schedule::least_repetition contains it.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/schedule.hpp"
#include "logp/execution.hpp"
#include "logp/machine.hpp"

namespace takt::logp {

/// The processor of every task, and the order of the tasks on each processor.
struct Allocation {
  /// For each processor its tasks, in order of execution.
  std::vector<std::vector<TaskId>> order;

  /// Returns the processor of each task. Throws ConfigError when a task is missing or occurs twice.
  [[nodiscard]] std::vector<ProcessorId> processor_of(const TaskGraph& graph) const;
};

/// Assigns every message between two nodes the shortest route through the network, if there is one; `execute`
/// (logp/execution.hpp) computes the times of its transfers.
void add_routes(const Platform& platform, Schedule& schedule);

/// Relay style (BasicFO): data move only from one processor of the chain to the next one, with all data for
/// later processors in one message per boundary. `chain` lists the processors in order; tasks must only
/// depend on tasks of the same or an earlier processor. A processor starts only when its predecessor's
/// message has arrived or, if no data cross the boundary, when its predecessor has finished.
[[nodiscard]] Schedule time_relay(const TaskGraph& graph, const Machine& machine,
                                  const Allocation& allocation, std::span<const ProcessorId> chain);

struct LayerMessageOptions {
  /// After each layer but the last one every processor sends a message to every other one, even without tasks
  /// or data, and receives one from each before the next layer (Brent).
  bool all_to_all = false;
  /// The size of each of these messages, whatever it carries. Empty: that of the data that its receiver
  /// needs, at least one unit. The thesis defines neither; a schedule with messages smaller than their data
  /// is an interpretation of its tables and not valid.
  std::optional<Bytes> all_to_all_size = std::nullopt;
  /// Without all_to_all: one message per destination with all its data of a layer, or one per datum.
  bool aggregate = true;
  /// The printed tables of the thesis receive each message at its arrival.
  Start start = Start::early;
};

/// Layer messages (Greedy): for each layer a processor first receives every message with data first needed in
/// this layer (in order of arrival), then computes its tasks of the layer (in the allocation's order), then
/// sends, once per destination, all data made in this layer that the destination needs (in order of
/// destination).
[[nodiscard]] Schedule time_layer_messages(const TaskGraph& graph, const Machine& machine,
                                           const Allocation& allocation, LayerMessageOptions options = {});

struct TaskMessageOptions {
  /// True: one message per (task, destination) with all its data; false: one per datum.
  bool aggregate = true;
  /// Sends every message between nodes over the links of the platform's network instead of using L: the
  /// shortest path (core/network.hpp), store and forward, each link with one message at a time in the first
  /// free interval. Without a network this changes nothing.
  bool routed = false;
  Start start = Start::late;
};

/// Task messages: after each task its data go to every other processor that needs them, in order of
/// destination; a processor receives the inputs of a task just before the task, in order of arrival.
[[nodiscard]] Schedule time_task_messages(const TaskGraph& graph, const Machine& machine,
                                          const Allocation& allocation, TaskMessageOptions options = {});

}  // namespace takt::logp
