#pragma once
/// The record of a task: what it calls, whom it reports to, and who waits for it.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "pipeline/tasking/cancellation.hpp"
#include "pipeline/tasking/failure.hpp"
#include "pipeline/tasking/fiber.hpp"

namespace takt::tasking {

/// How a task is to be run; one of `worker` and `core_type` at most. The defaults are any worker, in the
/// order of the queue.
struct With {
  /// Ready tasks of higher priority are taken first; those below 0 when there is nothing else.
  int priority = 0;
  /// The only worker that may start it, or any (-1).
  int worker = -1;
  /// Only workers on processors of this type may start it (Options::core_types), or any (-1). Priorities
  /// count among the tasks of one type.
  int core_type = -1;
  /// Cancels the task and its descendants. Replaces the parent's cancellation, which can be its `outer`.
  const Cancellation* cancellation = nullptr;
};

namespace detail {

struct Task;

/// One who waits for several tasks: continues when as many have completed.
struct Gate {
  std::atomic<int> open;
  Task* task;
};

/// A gate in the list of a task.
struct Waiting {
  Gate* gate;
  Waiting* next;
};

enum class Step { run, finish };

/// 128 bytes, of which 48 are for what it calls; larger callables are allocated. Tasks without variables that
/// spawn nothing use the first cache line alone.
///
/// A task is complete when its body has returned and all its children are complete. Children that complete
/// lower `balance`; the parent adds the number of children it has spawned when it waits or ends. The child
/// that takes the balance to 0 then is the last one, and continues or completes the parent. The two counters
/// lie in different cache lines: the parent writes one, workers with stolen children the other.
struct alignas(64) Task {
  static constexpr std::size_t room = 48;

  void (*body)(Task&, Step) = nullptr;
  Task* parent = nullptr;
  /// Set while it is suspended.
  Fiber* waiter = nullptr;
  std::atomic<Failure*> failure{nullptr};
  const Cancellation* cancellation = nullptr;
  /// Those who wait for this task by its handle, or `completed()`.
  std::atomic<Waiting*> waiting{nullptr};
  /// Children since the last wait, without those that have run on this task's own stack.
  std::int32_t spawned = 0;
  std::int16_t worker = -1;
  std::int8_t priority = 0;
  std::int8_t core_type = -1;
  bool is_again : 1 = false;
  bool needs_finish : 1 = false;
  bool is_skipped : 1 = false;
  /// Belongs to a Graph, whose UnitCall is in the storage.
  bool is_unit : 1 = false;
  /// With a handle: it is ready, and nothing has taken it. A task whose priority has changed is in several
  /// queues; each further one has a reference, and drops it when it finds that the task was taken.
  std::atomic<bool> is_ready{false};
  /// No bit field: workers that find the task in a further queue read it while the bits above change.
  bool has_handle = false;
  /// Position in the queue of the first child that has been spawned since the last wait.
  std::int64_t first_child = 0;
  /// Valid while `spawned` is not 0.
  std::atomic<std::int32_t> balance{0};
  std::atomic<std::int32_t> references{0};
  alignas(std::max_align_t) std::byte storage[room];

  static Waiting* completed() {
    static Waiting mark{nullptr, nullptr};
    return &mark;
  }
  /// Counts children, which are spawned from this position of the worker's queue on.
  void adopt(std::int32_t children, std::int64_t position) {
    if (spawned == 0) {
      first_child = position;
      balance.store(0, std::memory_order_relaxed);
    }
    spawned += children;
  }
  /// Returns the new balance.
  std::int32_t add_to_balance(std::int32_t value, bool is_alone) {
    if (!is_alone) return balance.fetch_add(value, std::memory_order_acq_rel) + value;
    const std::int32_t sum = balance.load(std::memory_order_relaxed) + value;
    balance.store(sum, std::memory_order_relaxed);
    return sum;
  }
  [[nodiscard]] bool has_children() const {
    return spawned != 0 && spawned + balance.load(std::memory_order_acquire) != 0;
  }
  Failure& failed() {
    Failure* known = failure.load(std::memory_order_acquire);
    if (known == nullptr) {
      auto* const made = new Failure;
      if (failure.compare_exchange_strong(known, made, std::memory_order_acq_rel)) return *made;
      delete made;
    }
    return *known;
  }
};

static_assert(sizeof(Task) == 128);

/// Puts a callable into a task.
template <class F>
void fill(Task& task, F&& callable) {
  using Callable = std::decay_t<F>;
  constexpr bool has_finish = requires(Callable & each) {
    each.finish(task);
  };
  if constexpr (sizeof(Callable) <= Task::room && alignof(Callable) <= alignof(std::max_align_t)) {
    ::new (static_cast<void*>(task.storage)) Callable(std::forward<F>(callable));
    task.needs_finish = has_finish || !std::is_trivially_destructible_v<Callable>;
    task.body = [](Task& self, Step step) {
      auto& stored = *std::launder(reinterpret_cast<Callable*>(self.storage));
      if (step == Step::run) {
        stored();
        return;
      }
      if constexpr (has_finish) stored.finish(self);
      std::destroy_at(&stored);
    };
  } else {
    fill(task, [held = std::make_unique<Callable>(std::forward<F>(callable))]() { (*held)(); });
  }
}

}  // namespace detail
}  // namespace takt::tasking
