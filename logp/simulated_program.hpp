#pragma once
/// The program that a simulation repeats: the operations of a schedule, prepared for repeated execution.

#include <cstdint>
#include <optional>
#include <vector>

#include "core/schedule.hpp"
#include "logp/device_queues.hpp"
#include "logp/machine.hpp"
#include "logp/simulation_options.hpp"

namespace takt::logp {

/// One operation of the schedule.
struct SimulatedStep {
  OperationKind kind = OperationKind::compute;
  /// A task without inputs: it waits for its frame.
  bool takes_frame = false;
  std::uint32_t processor = 0;
  std::uint32_t instance = 0;
  /// Iteration i executes it for the frames of iteration i - offset.
  std::uint64_t offset = 0;
  /// Index of the transfer (send, receive).
  std::uint32_t transfer = 0;
  Time length{0};
  /// After a send or receive, to the start of the next one.
  Time gap{0};
  /// From the start of a send to the arrival, or to the first link.
  Time transit{0};
  /// Index of its first passage over a link.
  std::uint32_t first_passage = 0;
  std::uint32_t passage_count = 0;
  /// Number of links that its message holds together.
  std::uint32_t passages_together = 1;
  /// Index among the watched tasks, for a computation of one.
  std::optional<std::uint32_t> watched = {};
  /// Index among the tasks whose state travels, for a computation of one.
  std::optional<std::uint32_t> state = {};
  /// Index among the tasks of devices, for a computation of one.
  std::optional<std::uint32_t> on_device = {};
};

/// A message on one link of its route.
struct LinkPassage {
  Time length{0};
  /// Reserved time in the first iteration.
  Time reserved{0};
};

/// A message of one instance.
struct SimulatedTransfer {
  ProcessorId from;
  ProcessorId to;
};

struct SimulatedProgram {
  /// Each follows those of its iteration that it waits for.
  std::vector<SimulatedStep> steps;
  std::vector<LinkPassage> passages;
  /// The link of each passage.
  std::vector<LinkId> links;
  std::vector<SimulatedTransfer> transfers;
};

/// Throws ConfigError if the schedule's operations wait for each other in a cycle, or a message passes a link
/// that the machine lacks. O(operations * watched tasks).
[[nodiscard]] SimulatedProgram simulated_program(const TaskGraph& graph, const Machine& machine,
                                                 const Schedule& schedule, const SimulationOptions& options,
                                                 const DeviceQueues& devices);

/// Throws ConfigError if sums of the simulated times could overflow. `repetition` is that of the schedule.
void check_times(const SimulatedProgram& program, const SimulationOptions& options,
                 const DeviceQueues& devices, Time repetition);

/// Returns the largest offset of the tasks without inputs.
[[nodiscard]] std::uint64_t largest_source_offset(const TaskGraph& graph, const Schedule& schedule);

/// Returns the least number of iterations by which senders may be ahead of receivers without deadlock.
[[nodiscard]] std::uint64_t least_buffers(const Schedule& schedule);

}  // namespace takt::logp
