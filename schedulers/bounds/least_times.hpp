#pragma once
/// Least times of the tasks of a graph on a machine, in any schedule.

#include <optional>
#include <vector>

#include "core/graphs/task_graph.hpp"
#include "logp/machine.hpp"

namespace takt::schedulers {

/// Returns whether every task takes the same time on all processors.
[[nodiscard]] bool has_equal_processors(const TaskGraph& graph, const logp::Machine& machine);

/// The least time of each task on any processor: the least value of its row in a table of times, otherwise
/// the time on the fastest processor. Borrows graph and machine.
class LeastTimes {
 public:
  /// O(P).
  LeastTimes(const TaskGraph& graph, const logp::Machine& machine);

  /// Returns the least time of a task. O(1); O(P) with a table of times.
  [[nodiscard]] Time of(TaskId task) const;
  /// Returns the sum over all tasks. O(n); O(n P) with a table of times.
  [[nodiscard]] Time sum() const;

 private:
  const TaskGraph& graph_;
  const logp::Machine& machine_;
  /// Empty with a table of times, where the fastest processor depends on the task.
  std::optional<ProcessorId> fastest_;
};

/// Returns the time of all tasks in sequence on one processor. O(n).
[[nodiscard]] Time sequential_time(const TaskGraph& graph, const logp::Machine& machine,
                                   ProcessorId processor);

/// The processor with the least time for all tasks in sequence, and that time.
struct SequentialRun {
  ProcessorId processor;
  Time time{0};
};

/// Returns the first of equal processors. O(n) for each different speed, O(n P) with a table of times.
[[nodiscard]] SequentialRun fastest_sequential_run(const TaskGraph& graph, const logp::Machine& machine);

}  // namespace takt::schedulers
