#include "pipeline/tasking/worker.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "pipeline/tasking/pause.hpp"

namespace takt::tasking::detail {

namespace {

thread_local Worker* this_worker = nullptr;

/// Between thefts of one worker: tasks that take less in all cost their owner more in cache lines than they
/// save.
constexpr std::chrono::microseconds least_pause{1};
/// What a task that runs on its waiter's stack has at least.
constexpr std::size_t least_room = 48 * 1024;
/// How far up a descendant is looked for; beyond, a waiter suspends rather than to run it.
constexpr int most_generations = 16;
/// Looks for work before a worker sleeps, a microsecond each.
constexpr int most_looks = 50;

/// Adds to a counter of children; returns its new value.
std::int32_t add(std::atomic<std::int32_t>& counter, std::int32_t value, bool is_alone) {
  if (!is_alone) return counter.fetch_add(value, std::memory_order_acq_rel) + value;
  const std::int32_t sum = counter.load(std::memory_order_relaxed) + value;
  counter.store(sum, std::memory_order_relaxed);
  return sum;
}

bool descends(const Task* task, const Task* ancestor) {
  for (int i = 0; i < most_generations && task != nullptr; ++i, task = task->parent)
    if (task->parent == ancestor) return true;
  return false;
}

bool has_completed(const Task* task) {
  return task->waiting.load(std::memory_order_acquire) == Task::completed();
}

}  // namespace

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

Worker::Worker(Team& team, unsigned index, int core_type)
    : team_(team),
      index_(index),
      core_type_(core_type),
      memory_(team.store),
      fibers_(team.fibers),
      random_state_(team.seed + 0x9E3779B97F4A7C15U * (index + 1)) {
  if (team.is_fifo) ready_.share_always();
}

Worker::~Worker() = default;

Worker* Worker::here() {
  asm volatile("" ::: "memory");
  return this_worker;
}

Task* Worker::make(Task* parent) {
  Task* const task = memory_.take();
  task->parent = parent;
  task->waiter = nullptr;
  task->failure.store(nullptr, std::memory_order_relaxed);
  task->cancellation = parent == nullptr ? nullptr : parent->cancellation;
  task->waiting.store(nullptr, std::memory_order_relaxed);
  task->spawned = 0;
  task->worker = -1;
  task->priority = 0;
  task->core_type = -1;
  task->has_handle = false;
  task->is_again = false;
  task->needs_finish = false;
  task->is_skipped = false;
  task->is_unit = false;
  return task;
}

void Worker::submit(Task* task) {
  Task* const parent = task->parent;
  parent->adopt(1, ready_.back());
  if (task->worker < 0 && task->priority == 0 && task->core_type < 0 && !task->has_handle)
    push(task);
  else
    team_.make_ready(task);
}

void Worker::push_for_thieves(Task* task) {
  ready_.push_back(task);
  if (team_.sleepers.any()) {
    ready_.share_all();
    team_.wake_one();
  }
}

void Worker::free(Task* task) {
  delete task->failure.load(std::memory_order_relaxed);
  memory_.give(task);
}

void Worker::serve() {
  Worker* const outer = std::exchange(this_worker, this);
  is_alone_ = team_.is_alone();
  Fiber native;
  native_ = &native;
  fiber_ = &native;
  leave(fibers_.take(team_.stack_bytes, &Worker::loop), {});
  this_worker = outer;
}

void Worker::leave(Fiber& to, Fiber::After after) {
  Fiber* const from = fiber_;
  fiber_ = &to;
  Fiber::change(*from, to, after);
}

void Worker::loop(void*) {
  const auto keep = [](void* fiber) { here()->fibers_.give(static_cast<Fiber*>(fiber)); };
  for (;;) {
    Worker* const self = here();
    Task* const task = self->next();
    if (task == nullptr)
      self->leave(*self->native_, {keep, self->fiber_});
    else if (Fiber* const waiter = task->waiter; waiter != nullptr) {
      task->waiter = nullptr;
      self->settle_done_children();
      self->leave(*waiter, {keep, self->fiber_});
    } else {
      execute(task);
    }
  }
}

bool Worker::take_once(Task* task) {
  if (task->is_ready.exchange(false, std::memory_order_acq_rel)) return true;
  release(task);
  return false;
}

void Worker::execute(Task* task) {
  Task* const parent = task->parent;
  if (Worker* const self = here(); self->parent_of_done_ != parent) self->settle_done_children();
  if (run(task) && parent != nullptr) here()->note_done_child(parent);
}

/// A parent is told once of children that this worker runs one after the other: it cannot go on before the
/// last of them.
void Worker::note_done_child(Task* parent) {
  if (parent_of_done_ != parent) {
    settle_done_children();
    parent_of_done_ = parent;
  }
  ++done_;
}

/// To be called before anything that does not wait for these children takes time.
void Worker::settle_done_children() {
  Task* const parent = std::exchange(parent_of_done_, nullptr);
  if (parent != nullptr) children_are_done(parent, std::exchange(done_, 0));
}

bool Worker::run(Task* task) {
  Worker* const self = here();
  Task* const outer = std::exchange(self->current_, task);
  if (task->cancellation != nullptr && task->cancellation->is_cancelled()) task->is_skipped = true;
  if (!task->is_skipped) {
    try {
      task->body(*task, Step::run);
    } catch (...) {
      task->is_again = false;
      task->failed().add(std::current_exception());
    }
  }
  here()->current_ = outer;
  return settle(task);
}

bool Worker::settle(Task* task) {
  if (const std::int32_t children = task->spawned; children != 0) [[unlikely]] {
    if (add(task->balance, children, here()->is_alone_) != 0) return false;
    task->spawned = 0;
  }
  return conclude(task);
}

bool Worker::conclude(Task* task) {
  if (task->is_again) {
    task->is_again = false;
    here()->team_.make_ready(task);
    return false;
  }
  finish(task);
  return true;
}

void Worker::finish(Task* task) {
  if (task->needs_finish) task->body(*task, Step::finish);
  Worker* const self = here();
  if (Failure* const failure = task->failure.load(std::memory_order_acquire);
      failure != nullptr && task->parent != nullptr) {
    const auto [first, further] = failure->look();
    if (first != nullptr || further != 0) task->parent->failed().add(first, further);
  }
  if (task->parent == nullptr) {
    self->team_.finish();
    return;
  }
  if (!task->has_handle) {
    self->free(task);
    return;
  }
  Waiting* waiting = task->waiting.exchange(Task::completed(), std::memory_order_acq_rel);
  while (waiting != nullptr) {
    Waiting* const next = waiting->next;
    drop(*waiting->gate);
    waiting = next;
  }
  release(task);
}

void Worker::children_are_done(Task* parent, std::int32_t children) {
  const bool is_alone = here()->is_alone_;
  for (; parent != nullptr; children = 1) {
    if (add(parent->balance, -children, is_alone) != 0) return;
    parent->spawned = 0;
    if (parent->waiter != nullptr) {
      here()->team_.make_ready(parent);
      return;
    }
    Task* const above = parent->parent;
    if (!conclude(parent)) return;
    parent = above;
  }
}

void Worker::drop(Gate& gate) {
  Task* const task = gate.task;
  if (gate.open.fetch_sub(1, std::memory_order_acq_rel) == 1) here()->team_.make_ready(task);
}

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

// A call less at each level of a recursion: processors predict few dozens of returns.
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
    // The queue may be longer than the cache. Beyond its end is what it held before.
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
  // The task's counters are in the cache of those who run stolen children: they are not touched until the
  // end.
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
                       if (add(self->balance, self->spawned, is_alone) != 0) return;
                       here()->team_.make_ready(self);
                     },
                     task});
    task->spawned = 0;
  }
  if (Failure* const failure = task->failure.load(std::memory_order_acquire); failure != nullptr)
    if (const std::exception_ptr first = failure->take_first(); first != nullptr)
      std::rethrow_exception(first);
}

namespace {

/// A task that waits for itself or for one above it would never continue.
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

void Worker::wait_for(std::span<Task* const> tasks) {
  Task* const me = here()->current_;
  refuse_ancestors(me, tasks);
  const auto is_one_of_these = [&](const Task* task) {
    return std::ranges::find(tasks, task) != tasks.end();
  };
  const auto all_completed = [&] { return std::ranges::all_of(tasks, has_completed); };
  // What it waits for may run on its stack: the newest of its ready tasks, while they are among those.
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

Task* Worker::next() {
  for (;;) {
    if (Task* const task = find(); task != nullptr) {
      if (take(task)) return task;
      continue;
    }
    if (parent_of_done_ != nullptr) {
      settle_done_children();
      continue;
    }
    if (is_released()) return nullptr;
    if (is_alone_) {  // No other worker can make a task ready.
      team_.is_deadlocked.store(true, std::memory_order_relaxed);
      return nullptr;
    }
    rest();
  }
}

Task* Worker::find() {
  if (!mail_.is_empty())
    if (Task* const task = mail_.take(); task != nullptr) return task;
  if (!is_within_limit()) return nullptr;
  if (core_type_ >= 0)
    if (SideQueue& own = team_.of_core_type[static_cast<std::size_t>(core_type_)]; !own.is_empty())
      if (Task* const task = own.take(); task != nullptr) return task;
  if (!team_.urgent.is_empty())
    if (Task* const task = team_.urgent.take(); task != nullptr) return task;
  if (Task* const task = own(); task != nullptr) return task;
  if (!is_alone_)
    if (Task* const task = steal(); task != nullptr) return task;
  return team_.leisure.is_empty() ? nullptr : team_.leisure.take();
}

Task* Worker::own() {
  if (is_alone_) {
    if (team_.seed != 0 && !ready_.is_empty()) {
      const auto ready = static_cast<std::uint64_t>(ready_.back() - ready_.alone_front());
      ready_.alone_bring_to_front(ready_.alone_front() + static_cast<std::int64_t>(random() % ready));
    }
    return ready_.alone_pop_front();
  }
  return team_.is_fifo ? ready_.take_front() : ready_.pop_back();
}

Task* Worker::steal() {
  while (std::chrono::steady_clock::now() < next_steal_) pause();
  const std::size_t count = team_.workers.size();
  const std::size_t first = random() % count;
  for (std::size_t i = 0; i < count; ++i) {
    Worker& victim = *team_.workers[(first + i) % count];
    if (&victim == this) continue;
    if (victim.ready_.is_empty()) {
      victim.ready_.ask();
      continue;
    }
    Task* const task = ReadyQueue::steal(victim.ready_, ready_);
    if (!ready_.is_empty() && team_.sleepers.any()) {
      ready_.share_all();
      team_.wake_one();
    }
    if (task == nullptr) continue;
    next_steal_ = std::chrono::steady_clock::now() + least_pause;
    return task;
  }
  return nullptr;
}

bool Worker::is_released() const {
  if (index_ == 0)
    return team_.is_finished.load(std::memory_order_acquire) ||
           team_.is_deadlocked.load(std::memory_order_acquire);
  return team_.is_stopping.load(std::memory_order_acquire);
}

bool Worker::is_within_limit() const {
  return static_cast<int>(index_) < team_.limit.load(std::memory_order_relaxed);
}

bool Worker::has_reason_to_stay_awake() const {
  if (is_released() || !mail_.is_empty()) return true;
  if (!is_within_limit()) return false;
  if (!team_.urgent.is_empty() || !team_.leisure.is_empty()) return true;
  if (core_type_ >= 0 && !team_.of_core_type[static_cast<std::size_t>(core_type_)].is_empty()) return true;
  return std::ranges::any_of(team_.workers, [](const auto& each) { return !each->ready_.is_empty(); });
}

/// When all workers lie down, no worker is left that could make a task ready.
bool Worker::may_not_sleep() {
  if (has_reason_to_stay_awake()) return true;
  if (team_.sleepers.count() != team_.workers.size() || team_.is_finished.load() || team_.is_stopping.load())
    return false;
  if (!is_within_limit()) {
    // It has not looked for tasks: one that may take them does.
    team_.sleepers.wake(team_.workers.front()->sleeper);
    return false;
  }
  team_.is_deadlocked.store(true);
  if (index_ == 0) return true;
  team_.sleepers.wake(team_.workers.front()->sleeper);
  return false;
}

void Worker::rest() {
  if (team_.may_spin) {
    for (int i = 0; i < most_looks; ++i) {
      for (int k = 0; k < 20; ++k) pause();
      if (has_reason_to_stay_awake()) return;
    }
  } else {
    std::this_thread::yield();
    if (has_reason_to_stay_awake()) return;
  }
  team_.sleepers.sleep(sleeper, [this] { return may_not_sleep(); });
}

std::uint64_t Worker::random() {
  // xorshift64 (Marsaglia 2003).
  random_state_ ^= random_state_ << 13;
  random_state_ ^= random_state_ >> 7;
  random_state_ ^= random_state_ << 17;
  return random_state_;
}

void release(Task* task) {
  if (task->references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  if (Worker* const worker = Worker::here(); worker != nullptr)
    worker->free(task);
  else
    delete task->failure.exchange(nullptr);
}

}  // namespace takt::tasking::detail
