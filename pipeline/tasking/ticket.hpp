#pragma once
/// The priority of a task that is made when it becomes ready.

#include "pipeline/tasking/spin_lock.hpp"
#include "pipeline/tasking/task.hpp"
#include "pipeline/tasking/worker.hpp"

namespace takt::tasking::detail {

/// Keeps the priority while there is no task, and changes that of the task while it has not started.
class Ticket {
 public:
  /// Before the task is made.
  void open(int priority);
  [[nodiscard]] int priority() const { return priority_; }
  /// Makes the task ready, with the priority of this ticket.
  void release(Task& task);
  /// The task is complete; called by its `finish`.
  void close(Task& task);
  /// Returns false when the task has started. Inside of tasks, with a possible priority.
  bool set_priority(int priority);

 private:
  SpinLock lock_;
  Task* task_ = nullptr;
  bool is_closed_ = false;
  int priority_ = 0;
};

}  // namespace takt::tasking::detail
