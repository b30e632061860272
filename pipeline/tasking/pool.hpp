#pragma once
/// A pool of workers that runs tasks: spawn, wait, loops and graphs.

#include <cstddef>
#include <cstdint>
#include <exception>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "pipeline/tasking/cancellation.hpp"
#include "pipeline/tasking/task.hpp"
#include "pipeline/tasking/worker.hpp"

namespace takt::tasking {

/// In which order several workers take their own ready tasks. One worker always takes the oldest.
enum class Order {
  newest_first,  ///< depth first: little memory, good for recursion
  oldest_first,  ///< the order in which they became ready
};

struct Options {
  /// The calling thread of `run` is one of them. More than there are processors is allowed; 0: as many as
  /// there are processors that the calling thread may use.
  int workers = 1;
  Order order = Order::newest_first;
  /// Worker i is bound to processor cores[i]; empty: none is bound.
  std::vector<int> cores;
  /// The type of each worker's processor, from 0 on, for `With::core_type`; empty: all are alike. See
  /// `core_types_of`.
  std::vector<int> core_types;
  /// Not 0, with one worker: takes a ready task at random, the same one for the same seed. For tests of
  /// programs.
  std::uint64_t seed = 0;
  /// Of each stack on which tasks run. Reserved, and used page by page.
  std::size_t stack_bytes = std::size_t{256} * 1024;
};

/// A task that was started by `start`. Copies name the same task. Valid in its pool only.
class Handle {
 public:
  Handle() = default;
  explicit Handle(detail::Task* task) : task_(task) {}
  Handle(const Handle& other) : task_(other.task_) {
    if (task_ != nullptr) task_->references.fetch_add(1, std::memory_order_relaxed);
  }
  Handle(Handle&& other) noexcept : task_(std::exchange(other.task_, nullptr)) {}
  Handle& operator=(Handle other) noexcept {
    std::swap(task_, other.task_);
    return *this;
  }
  ~Handle() {
    if (task_ != nullptr) detail::release(task_);
  }

  /// Whether it and all its descendants have ended.
  [[nodiscard]] bool is_complete() const {
    return task_->waiting.load(std::memory_order_acquire) == detail::Task::completed();
  }
  [[nodiscard]] detail::Task* task() const { return task_; }

 private:
  detail::Task* task_ = nullptr;
};

/// Workers that run tasks; those without work sleep.
class Pool {
 public:
  /// Throws std::invalid_argument for invalid options.
  explicit Pool(Options options = {});
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool();

  [[nodiscard]] int workers() const { return static_cast<int>(team_.workers.size()); }
  /// From now on the first so many workers (at least 1) take tasks; others end or suspend the task they have,
  /// and sleep, but for tasks that name them. For any thread, also while tasks run. Throws
  /// std::invalid_argument for 0 or less, and where a core type would have no worker.
  void limit_workers(int workers);

  /// Returns the processor time that its threads have used: all workers but that of `run`. From any thread.
  [[nodiscard]] std::uint64_t processor_ns();

  /// Runs `callable()` as the first task and returns its result when it and all its descendants have ended.
  /// The first exception that no wait has taken is thrown. Throws std::logic_error when all tasks wait for
  /// each other; the pool is of no use then. One `run` at a time.
  template <class F>
  auto run(F&& callable) {
    using Result = std::invoke_result_t<F&>;
    if constexpr (std::is_void_v<Result>) {
      run_task([&] { callable(); });
    } else {
      std::optional<Result> result;
      run_task([&] { result.emplace(callable()); });
      return std::move(*result);
    }
  }
  /// How many exceptions there were in the last run besides those that were thrown to a waiter or by `run`.
  [[nodiscard]] std::size_t further_exceptions() const { return further_; }

 private:
  template <class F>
  void run_task(F&& body) {
    detail::Task* const task = begin();
    detail::fill(*task, std::forward<F>(body));
    complete(task);
  }
  void require_each_type(int workers) const;
  detail::Task* begin();
  void complete(detail::Task* task);

  detail::Team team_;
  std::vector<int> cores_, core_types_;
  std::vector<std::jthread> threads_;
  std::atomic<bool> is_running_{false};
  std::size_t further_ = 0;
};

namespace detail {

/// A record for a child of the current task. Throws std::logic_error outside of a pool.
Task& new_child();
Task& new_child(const With& with);
void submit(Task& task);
void require_priority(int priority);
/// Throws std::invalid_argument for a worker, core type or priority that cannot be.
void require_possible(const With& with, const Team& team);
void obey(Task& task, const With& with);
/// Throws std::logic_error outside of a pool.
Task& current_task();

}  // namespace detail

/// Spawns `callable()` as a child of the current task, which completes after it. Exceptions go to
/// the waiter.
template <class F>
void spawn(F&& callable) {
  detail::Task& task = detail::new_child();
  detail::fill(task, std::forward<F>(callable));
  detail::submit(task);
}

/// The same with a priority, a worker or a cancellation.
template <class F>
void spawn(const With& with, F&& callable) {
  detail::Task& task = detail::new_child(with);
  detail::fill(task, std::forward<F>(callable));
  detail::submit(task);
}

/// Spawns a child that can be waited for by itself.
template <class F>
[[nodiscard]] Handle start(const With& with, F&& callable) {
  detail::Task& task = detail::new_child(with);
  task.has_handle = true;
  task.references.store(2, std::memory_order_relaxed);
  detail::fill(task, std::forward<F>(callable));
  detail::submit(task);
  return Handle(&task);
}
template <class F>
[[nodiscard]] Handle start(F&& callable) {
  return start(With{}, std::forward<F>(callable));
}

/// Waits until all children of the current task, and their descendants, have ended. The task is suspended
/// meanwhile: its worker runs other tasks on other stacks; on this stack at most descendants of this task
/// run. May continue on another thread. Throws the first exception of the children.
void wait();
/// The same for one task, or for each of several. Throws std::logic_error for the current task or one above
/// it.
void wait(const Handle& handle);
void wait(std::span<const Handle> handles);
inline void wait(std::initializer_list<Handle> handles) {
  wait(std::span<const Handle>(handles.begin(), handles.size()));
}

/// Gives a task that has not started, or that waits to be continued, another priority (-100 to 100), after
/// the tasks that have it. Returns false, without effect, when it runs, waits or is complete. Inside of
/// tasks; throws std::logic_error elsewhere, and std::invalid_argument for another priority.
bool set_priority(const Handle& handle, int priority);

/// Whether the current task has children that have not ended.
[[nodiscard]] bool has_children();
/// The current task is run once more when its body has returned and all its children have ended, instead of
/// being complete. Nothing waits meanwhile, and its stack is free.
void run_again();
/// Whether the current task, or one above it, was cancelled.
[[nodiscard]] bool is_cancelled();
/// The number of the worker that runs the current task.
[[nodiscard]] int this_worker();

}  // namespace takt::tasking
