#pragma once
/// From "which task where, in which order" to a timetable, under any machine.
///
/// One engine serves every scheduler. It never decides anything: it starts each operation as early as the
/// model allows, then, where asked, as late as does no harm, so that a processor is not occupied by waiting.
///
/// Every schedule made here can repeat with the time that measure() names: where a gap or the network's
/// capacity forbids the largest occupancy, Schedule::least_repetition says so.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/schedule.hpp"
#include "logp/execution.hpp"
#include "logp/machine.hpp"

namespace takt::logp {

/// Where every task runs, and in which order each processor runs its tasks.
struct Allocation {
  /// For each processor its tasks, in order of execution.
  std::vector<std::vector<TaskId>> order;

  /// Processor of each task. Throws ConfigError when a task is missing or stands twice.
  [[nodiscard]] std::vector<ProcessorId> processor_of(const TaskGraph& graph) const;
};

/// Gives every message between two nodes the shortest way through the network, where there is one; `execute`
/// (logp/execution.hpp) gives the transfers their times.
void add_routes(const Platform& platform, Schedule& schedule);

/// Relay style (BasicFO): data only moves from one processor of the chain to the next one, everything that is
/// needed further on in one message a boundary. `chain` lists the processors in order; tasks must only depend
/// on tasks of the same or an earlier processor. A processor starts only when its predecessor's message is
/// there, or, when nothing crosses the boundary, when its predecessor has finished.
[[nodiscard]] Schedule time_relay(const TaskGraph& graph, const Machine& machine,
                                  const Allocation& allocation, std::span<const ProcessorId> chain);

struct LayerMessageOptions {
  /// After each layer but the last one every processor sends a message to every other one, also those with no
  /// tasks and nothing to say, and receives one from each before the next layer (Brent).
  bool all_to_all = false;
  /// The size of each of these messages, whatever it carries. Nothing: that of the data that its receiver
  /// needs, one unit at least. The thesis says neither; a schedule in which a message is smaller than its
  /// data is a reading of its tables and no valid schedule.
  std::optional<Bytes> all_to_all_size = std::nullopt;
  /// Otherwise one message per destination with all the data of a layer that it needs, or one per datum.
  bool aggregate = true;
  /// The printed tables of the thesis receive each message when it arrives.
  Start start = Start::early;
};

/// Layer messages (Greedy): for each layer in turn a processor first receives every message that carries data
/// first needed in this layer (in order of arrival), then computes its tasks of the layer (in the
/// allocation's order), then sends, once per destination, all data made in this layer that the destination
/// needs (in order of destination).
[[nodiscard]] Schedule time_layer_messages(const TaskGraph& graph, const Machine& machine,
                                           const Allocation& allocation, LayerMessageOptions options = {});

struct TaskMessageOptions {
  /// One message per (task, destination) with all the data, or one per datum.
  bool aggregate = true;
  /// Send every message between nodes over the links of the platform's network instead of costing it L: the
  /// shortest way (core/network.hpp), a whole message on one link after the other, each link carrying one at
  /// a time and taking what comes first into its first hole. Without a network this changes nothing.
  bool routed = false;
  Start start = Start::late;
};

/// Task messages: after each task its data goes to every other processor that needs it, in order of
/// destination; a processor receives what a task needs just before the task, in order of arrival.
[[nodiscard]] Schedule time_task_messages(const TaskGraph& graph, const Machine& machine,
                                          const Allocation& allocation, TaskMessageOptions options = {});

}  // namespace takt::logp
