#pragma once
/// What the tasks of a graph take on a machine at least, whatever the schedule.

#include <optional>
#include <vector>

#include "core/graphs/task_graph.hpp"
#include "logp/machine.hpp"

namespace takt::schedulers {

/// Whether every task takes the same time on all processors.
[[nodiscard]] bool has_equal_processors(const TaskGraph& graph, const logp::Machine& machine);

/// The least time of each task on any processor: with a table of times the least of its row, otherwise the
/// time on the fastest processor. Borrows graph and machine.
class LeastTimes {
 public:
  /// O(P).
  LeastTimes(const TaskGraph& graph, const logp::Machine& machine);

  /// O(1); O(P) with a table of times.
  [[nodiscard]] Time of(TaskId task) const;
  /// Of all tasks together. O(n); O(n P) with a table of times.
  [[nodiscard]] Time sum() const;

 private:
  const TaskGraph& graph_;
  const logp::Machine& machine_;
  /// Nothing with a table of times, where each task has its own one.
  std::optional<ProcessorId> fastest_;
};

/// The time of all tasks on one processor, one after the other. O(n).
[[nodiscard]] Time sequential_time(const TaskGraph& graph, const logp::Machine& machine,
                                   ProcessorId processor);

/// The processor that does all tasks, one after the other, in the least time, and that time.
struct SequentialRun {
  ProcessorId processor;
  Time time{0};
};

/// Of equal processors the first one. O(n) for each different speed, O(n P) with a table of times.
[[nodiscard]] SequentialRun fastest_sequential_run(const TaskGraph& graph, const logp::Machine& machine);

}  // namespace takt::schedulers
