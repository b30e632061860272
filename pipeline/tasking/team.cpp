/// Brings ready tasks to the workers of a team, and wakes them.

#include "pipeline/tasking/worker.hpp"

namespace takt::tasking::detail {

void Team::make_ready(Task* task) {
  // As soon as it is ready, another task may change its priority.
  const int worker = task->worker, core_type = task->core_type, priority = task->priority;
  if (task->has_handle) task->is_ready.store(true, std::memory_order_release);
  if (worker >= 0) {
    Worker& only = *workers[static_cast<std::size_t>(worker)];
    only.mail_.put(task, priority);
    if (sleepers.any()) sleepers.wake(only.sleeper);
    return;
  }
  if (core_type >= 0) {
    of_core_type[static_cast<std::size_t>(core_type)].put(task, priority);
    if (sleepers.any()) wake_one(core_type);
    return;
  }
  if (priority == 0) {
    Worker::here()->push(task);
    return;
  }
  (priority > 0 ? urgent : leisure).put(task, priority);
  if (sleepers.any()) wake_one();
}

bool Team::change_priority(Task& task, int priority) {
  if (!task.is_ready.exchange(false, std::memory_order_acq_rel)) return false;
  task.priority = static_cast<std::int8_t>(priority);
  task.references.fetch_add(1, std::memory_order_relaxed);
  make_ready(&task);
  return true;
}

void Team::wake_one(int core_type) {
  const auto budget = static_cast<std::size_t>(limit.load(std::memory_order_relaxed));
  for (std::size_t i = 0; i < workers.size() && i < budget; ++i)
    if ((core_type < 0 || workers[i]->core_type_ == core_type) && sleepers.wake(workers[i]->sleeper)) return;
}

void Team::finish() {
  is_finished.store(true, std::memory_order_seq_cst);
  if (sleepers.any()) sleepers.wake(workers.front()->sleeper);
}

}  // namespace takt::tasking::detail
