#pragma once
/// The operations of one iteration with a given allocation, and the order that the data require.

#include <cstdint>
#include <span>
#include <vector>

#include "core/schedule.hpp"
#include "logp/traffic.hpp"
#include "schedulers/search/workload.hpp"

namespace takt::schedulers {

/// The data of a processor for another one, of one frame: in as few messages as a frame can have without
/// waiting for itself, or one message for each datum.
enum class MessageGrouping : std::uint8_t { joined, of_datum };

/// An operation before it has a time.
struct FlowOperation {
  OperationKind kind = OperationKind::compute;
  ProcessorId processor;
  std::uint32_t instance = 0;
  /// Task of the graph, or message of the schedule.
  std::uint32_t subject = 0;
  Time length{0};
  /// To the start of the next send, or receive, of the processor.
  Time gap{0};
};

/// `to` starts at least `lag` after the start of `from`.
struct FlowArc {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  Time lag{0};
};

/// Borrows the workload.
///
/// Joined messages: let a task's level be the largest number of times that a path to it goes back from a
/// later to an earlier processor, in the order of the processors' mean places in the topological order. All
/// data of one level from one processor to another one are one message: level and processor grow along every
/// path, so that no message waits for itself. If data only move down a chain that is one message for each
/// pair of processors.
class Flow {
 public:
  /// `processor_of` is the processor of each item. O((n + m) log m) for n items with all their instances.
  Flow(const Workload& workload, std::span<const ProcessorId> processor_of, MessageGrouping grouping);

  [[nodiscard]] const std::vector<FlowOperation>& operations() const { return operations_; }
  [[nodiscard]] const std::vector<FlowArc>& arcs() const { return arcs_; }
  /// Returns the operations that are placed together: all instances of a stateful task in order, or a single
  /// operation.
  [[nodiscard]] const std::vector<std::vector<std::uint32_t>>& groups() const { return groups_; }
  /// Returns the messages with their routes, without times and operations.
  [[nodiscard]] const Schedule& messages() const { return messages_; }
  [[nodiscard]] const logp::FlightCosts& costs(std::uint32_t message) const { return costs_[message]; }

  /// Returns the largest load of a processor or link: no timetable of these operations has a shorter
  /// repetition.
  [[nodiscard]] Time load() const;

 private:
  std::uint32_t add(FlowOperation operation);
  void add_computations(const Workload& workload, std::span<const ProcessorId> processor_of);
  void add_messages(const Workload& workload, std::span<const ProcessorId> processor_of,
                    MessageGrouping grouping);
  [[nodiscard]] std::uint32_t operation_of(TaskId item, std::uint32_t instance) const;

  std::vector<FlowOperation> operations_;
  std::vector<FlowArc> arcs_;
  std::vector<std::vector<std::uint32_t>> groups_;
  /// First operation of each item, and whether it is followed by those of the other instances.
  std::vector<std::uint32_t> first_;
  std::vector<bool> has_all_;
  Schedule messages_;
  std::vector<logp::FlightCosts> costs_;
};

/// Returns the levels of the items (see Flow).
[[nodiscard]] std::vector<std::uint32_t> levels_of(const TaskGraph& items,
                                                   std::span<const ProcessorId> processor_of,
                                                   std::size_t processors);

}  // namespace takt::schedulers
