#pragma once
/// The processor groups of tasks in a schedule of moldable tasks.

#include <cstdint>
#include <span>
#include <vector>

#include "core/graphs/task_graph.hpp"
#include "core/schedule.hpp"

namespace takt {

/// The groups of a schedule. A task's group consists of the processors that compute it for one instance, in
/// ascending order; its data are distributed over them in blocks of equal size, in that order.
class TaskGroups {
 public:
  /// Reads the schedule without checking it (logp/diagnostics.hpp does). O(n log n) for n
  /// operations.
  TaskGroups(const TaskGraph& graph, const Schedule& schedule);

  struct Run {
    ProcessorId processor;
    const Operation* operation = nullptr;
  };

  /// Returns the runs by processor; empty if the task does not run.
  [[nodiscard]] std::span<const Run> runs(TaskId task, std::uint32_t instance = 0) const {
    const std::size_t row = instance * task_count_ + task.index();
    return std::span(runs_).subspan(first_[row], first_[row + 1] - first_[row]);
  }
  [[nodiscard]] std::vector<ProcessorId> group(TaskId task, std::uint32_t instance = 0) const;

 private:
  std::size_t task_count_;
  std::vector<std::size_t> first_;
  std::vector<Run> runs_;
};

/// Reports whether a moldable task runs on several processors for one instance. Data then move by
/// redistribution (logp/redistribution.hpp) between all tasks, and there are no messages. O(operations).
[[nodiscard]] bool runs_in_groups(const TaskGraph& graph, const Schedule& schedule);

}  // namespace takt
