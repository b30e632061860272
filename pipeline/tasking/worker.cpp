#include "pipeline/tasking/worker.hpp"

#include <exception>
#include <utility>

namespace takt::tasking::detail {

namespace {

thread_local Worker* this_worker = nullptr;

}  // namespace

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

/// Counts children of one parent that this worker runs one after the other, for one report to the parent: it
/// cannot continue before the last of them.
void Worker::note_done_child(Task* parent) {
  if (parent_of_done_ != parent) {
    settle_done_children();
    parent_of_done_ = parent;
  }
  ++done_;
}

/// Called before any longer work that does not depend on these children.
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
    if (task->add_to_balance(children, here()->is_alone_) != 0) return false;
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
    if (parent->add_to_balance(-children, is_alone) != 0) return;
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

void release(Task* task) {
  if (task->references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  if (Worker* const worker = Worker::here(); worker != nullptr)
    worker->free(task);
  else
    delete task->failure.exchange(nullptr);
}

}  // namespace takt::tasking::detail
