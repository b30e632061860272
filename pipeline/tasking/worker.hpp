#pragma once
/// A worker takes ready tasks and runs them; a team of workers serves one pool.

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "pipeline/tasking/fiber.hpp"
#include "pipeline/tasking/fiber_store.hpp"
#include "pipeline/tasking/ready_queue.hpp"
#include "pipeline/tasking/side_queue.hpp"
#include "pipeline/tasking/sleepers.hpp"
#include "pipeline/tasking/task.hpp"
#include "pipeline/tasking/task_memory.hpp"

namespace takt::tasking::detail {

class Worker;

/// What the workers of a pool share.
struct Team {
  TaskStore store;
  FiberStore fibers;
  Sleepers sleepers;
  /// Tasks of priority above and below 0.
  SideQueue urgent, leisure;
  /// Those for one type of processors.
  std::deque<SideQueue> of_core_type;
  std::vector<std::unique_ptr<Worker>> workers;
  std::atomic<bool> is_finished{false};
  std::atomic<bool> is_stopping{false};
  /// All workers found nothing to do before the run had finished.
  std::atomic<bool> is_deadlocked{false};
  std::size_t stack_bytes = 0;
  std::uint64_t seed = 0;
  bool is_fifo = false;
  /// Workers with this number or a higher one take only tasks that no other worker may start.
  std::atomic<int> limit{0};
  /// Whether idle workers search for a while before they sleep: only if each has a processor.
  bool may_spin = false;

  [[nodiscard]] bool is_alone() const { return workers.size() == 1; }
  /// Puts a ready task into the queue of its priority and worker, and wakes a worker for it.
  void make_ready(Task* task);
  /// Moves a ready task that has a handle, and has not been taken; false for others.
  bool change_priority(Task& task, int priority);
  void wake_one(int core_type = -1);
  /// Ends `run` of the pool.
  void finish();
};

/// One thread's part of a pool. Tasks run on fibers; a task that waits leaves its fiber behind, and the
/// worker goes on with another one. So a fiber may continue on another worker: functions that may suspend ask
/// `here()` again.
class Worker {
 public:
  Worker(Team& team, unsigned index, int core_type);
  ~Worker();

  /// That of the calling thread; nullptr outside of pools.
  [[gnu::noinline]] static Worker* here();

  [[nodiscard]] Team& team() const { return team_; }
  [[nodiscard]] unsigned index() const { return index_; }
  [[nodiscard]] Task* current() const { return current_; }

  /// A record for a child of this task (or the first task, without one), ready to be filled.
  Task* make(Task* parent);
  /// Counts a child of the current task and makes it ready.
  void submit(Task* task);
  /// Counts children of the current task that are made ready later.
  void adopt(Task& parent, std::int32_t children) { parent.adopt(children, ready_.back()); }
  /// Serves the team until it stops or, for worker 0, the run has finished. On the thread's own stack.
  void serve();
  /// The same, beginning with this task.
  void serve_first(Task* task) {
    mail_.put(task, 0);
    serve();
  }
  void free(Task* task);

  /// Suspends the current task until all its children are complete, or those tasks.
  static void wait_for_children();
  static void wait_for(std::span<Task* const> tasks);

  Sleeper sleeper;

 private:
  friend struct Team;

  static void loop(void*);
  /// Returns whether to run a task from a queue; false if it was taken from another queue.
  static bool take(Task* task) { return !task->has_handle || take_once(task); }
  static bool take_once(Task* task);
  static void execute(Task* task);
  static bool run(Task* task);
  static bool settle(Task* task);
  static bool conclude(Task* task);
  static void finish(Task* task);
  static void children_are_done(Task* parent, std::int32_t children);
  void note_done_child(Task* parent);
  void settle_done_children();
  static void drop(Gate& gate);
  /// Returns true if the task is complete and a child of the waiter, which then counts it.
  static bool run_on_this_stack(Task* task, Task* waiter);
  static void run_children_in_order(Task* task);
  static void run_newest_children(Task* task);
  static void suspend(Task* task, Fiber::After after);

  Task* next();
  Task* find();
  Task* own();
  Task* steal();
  void push(Task* task) {
    if (is_alone_)
      ready_.alone_push_back(task);
    else
      push_for_thieves(task);
  }
  void push_for_thieves(Task* task);
  Task* pop_newest() { return is_alone_ ? ready_.alone_pop_back() : ready_.pop_back(); }
  void rest();
  [[nodiscard]] bool has_reason_to_stay_awake() const;
  [[nodiscard]] bool may_not_sleep();
  [[nodiscard]] bool is_released() const;
  [[nodiscard]] bool is_within_limit() const;
  [[nodiscard]] bool may_use_this_stack() const;
  [[nodiscard]] bool takes_oldest() const { return is_alone_ || team_.is_fifo; }
  void leave(Fiber& to, Fiber::After after);
  std::uint64_t random();

  Team& team_;
  unsigned index_;
  /// Of its processor; -1: not known.
  int core_type_;
  bool is_alone_ = false;
  Task* current_ = nullptr;
  Fiber* fiber_ = nullptr;
  Fiber* native_ = nullptr;
  /// Parent of `done_` children that have completed here and that it has not counted yet.
  Task* parent_of_done_ = nullptr;
  std::int32_t done_ = 0;
  ReadyQueue ready_;
  SideQueue mail_;
  TaskMemory memory_;
  SpareFibers fibers_;
  std::uint64_t random_state_;
  std::chrono::steady_clock::time_point next_steal_;
};

/// Gives up one reference of a task with a handle. Outside of pools its record is of no use until the pool
/// ends.
void release(Task* task);

}  // namespace takt::tasking::detail
