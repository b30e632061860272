/// Waits of a task for its children and for other tasks: on its own stack, or suspended.

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <vector>

#include "pipeline/tasking/worker.hpp"

namespace takt::tasking::detail {

namespace {

/// Least free stack for a task on its waiter's stack, in bytes.
constexpr std::size_t least_room = 48 * 1024;
/// Generations within which a descendant is recognised. A waiter suspends instead of running a further one.
constexpr int most_generations = 16;

bool descends(const Task* task, const Task* ancestor) {
  for (int i = 0; i < most_generations && task != nullptr; ++i, task = task->parent)
    if (task->parent == ancestor) return true;
  return false;
}

bool has_completed(const Task* task) {
  return task->waiting.load(std::memory_order_acquire) == Task::completed();
}

/// A task that waits for itself or for an ancestor would never continue.
void refuse_ancestors(const Task* task, std::span<Task* const> awaited) {
  for (const Task* each = task; each != nullptr; each = each->parent)
    for (const Task* target : awaited)
      if (target == each)
        throw std::logic_error("a task waits for itself or for a task that it descends from");
}

/// Adds a gate to the task's list; false when it has completed.
bool enlist(Task* task, Waiting& entry) {
  Waiting* first = task->waiting.load(std::memory_order_acquire);
  do {
    if (first == Task::completed()) return false;
    entry.next = first;
  } while (!task->waiting.compare_exchange_weak(first, &entry, std::memory_order_acq_rel,
                                                std::memory_order_acquire));
  return true;
}

}  // namespace

void Worker::suspend(Task* task, Fiber::After after) {
  Worker* const self = here();
  task->waiter = self->fiber_;
  self->leave(self->fibers_.take(self->team_.stack_bytes, &Worker::loop), after);
  here()->current_ = task;
}

bool Worker::may_use_this_stack() const {
  const char here_is_the_stack = 0;
  return team_.seed == 0 && team_.urgent.is_empty() && mail_.is_empty() &&
         fiber_->room_below(&here_is_the_stack) > least_room;
}

// Saves a call per level of a recursion: processors predict only some dozens of returns.
[[gnu::always_inline]] inline bool Worker::run_on_this_stack(Task* task, Task* waiter) {
  Task* const parent = task->parent;
  if (!run(task)) return false;
  if (parent == waiter) return true;
  children_are_done(parent, 1);
  return false;
}

void Worker::run_children_in_order(Task* task) {
  Worker* const self = here();
  ReadyQueue& ready = self->ready_;
  std::int64_t i = std::max(task->first_child, ready.alone_front());
  while (task->has_children() && i < ready.back() && self->may_use_this_stack()) {
    Task* const each = ready.alone_at(i);
    // The queue may be longer than the cache. Beyond its end it holds earlier tasks.
    __builtin_prefetch(ready.alone_at(i + 8));
    if (each != nullptr && each->waiter == nullptr && descends(each, task)) {
      ready.alone_clear(i);
      if (take(each) && run_on_this_stack(each, task)) --task->spawned;
    }
    i = std::max(i + 1, ready.alone_front());
  }
  ready.alone_trim(std::max(task->first_child, ready.alone_front()));
}

void Worker::run_newest_children(Task* task) {
  // Workers that run stolen children have the task's counters in their caches: not touched until the end.
  const std::int32_t spawned = task->spawned;
  std::int32_t done = 0;
  while (done < spawned) {
    Worker* const self = here();
    if (!self->may_use_this_stack()) break;
    Task* const newest = self->pop_newest();
    if (newest == nullptr) break;
    if (!take(newest)) continue;
    if (newest->waiter != nullptr || !descends(newest, task)) {
      self->team_.make_ready(newest);
      break;
    }
    if (run_on_this_stack(newest, task)) ++done;
  }
  task->spawned = spawned - done;
}

void Worker::wait_for_children() {
  Task* const task = here()->current_;
  if (task->spawned != 0) {
    if (here()->is_alone_)
      run_children_in_order(task);
    else if (!here()->takes_oldest())
      run_newest_children(task);
    if (task->has_children())
      suspend(task, {[](void* parked) {
                       auto* const self = static_cast<Task*>(parked);
                       const bool is_alone = here()->is_alone_;
                       if (self->add_to_balance(self->spawned, is_alone) != 0) return;
                       here()->team_.make_ready(self);
                     },
                     task});
    task->spawned = 0;
  }
  if (Failure* const failure = task->failure.load(std::memory_order_acquire); failure != nullptr)
    if (const std::exception_ptr first = failure->take_first(); first != nullptr)
      std::rethrow_exception(first);
}

void Worker::wait_for(std::span<Task* const> tasks) {
  Task* const me = here()->current_;
  refuse_ancestors(me, tasks);
  const auto is_one_of_these = [&](const Task* task) {
    return std::ranges::find(tasks, task) != tasks.end();
  };
  const auto all_completed = [&] { return std::ranges::all_of(tasks, has_completed); };
  // Awaited tasks may run on this stack: the newest ready one, as long as it is awaited.
  while (!all_completed()) {
    Worker* const self = here();
    if (!self->may_use_this_stack()) break;
    Task* const newest = self->pop_newest();
    if (newest == nullptr) break;
    if (!take(newest)) continue;
    // Where the oldest task comes first, at most the awaited one itself is taken out of turn.
    const bool is_in_turn =
        is_one_of_these(newest) || (!self->takes_oldest() && is_one_of_these(newest->parent));
    if (newest->waiter != nullptr || !is_in_turn) {
      self->team_.make_ready(newest);
      break;
    }
    if (run_on_this_stack(newest, me)) --me->spawned;
  }
  if (!all_completed()) {
    Gate gate{{1}, me};
    std::vector<Waiting> entries(tasks.size());
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      entries[i].gate = &gate;
      gate.open.fetch_add(1, std::memory_order_relaxed);
      if (!enlist(tasks[i], entries[i])) gate.open.fetch_sub(1, std::memory_order_relaxed);
    }
    suspend(me, {[](void* parked) { drop(*static_cast<Gate*>(parked)); }, &gate});
  }
  for (Task* const task : tasks)
    if (Failure* const failure = task->failure.load(std::memory_order_acquire); failure != nullptr)
      if (const std::exception_ptr first = failure->take_first(); first != nullptr) {
        if (Failure* const own = me->failure.load(std::memory_order_acquire); own != nullptr)
          own->forget(first);
        std::rethrow_exception(first);
      }
}

}  // namespace takt::tasking::detail
