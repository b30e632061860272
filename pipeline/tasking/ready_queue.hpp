#pragma once
/// The ready tasks of one worker: the owner works at the back, thieves take from the front.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "pipeline/tasking/task.hpp"

namespace takt::tasking::detail {

/// The deque of Chase and Lev ("Dynamic circular work-stealing deque", SPAA 2005), with the memory orders of
/// Lê et al. ("Correct and efficient work-stealing for weak memory models", PPoPP 2013). Grows as needed; old
/// arrays live as long as the queue, because thieves may still read them. Functions named `alone_` are for
/// pools of one worker.
class ReadyQueue {
 public:
  ReadyQueue() { grow(0, 0); }

  void push_back(Task* task) {
    const std::int64_t back = back_.load(std::memory_order_relaxed);
    const std::int64_t front = front_.load(std::memory_order_acquire);
    Ring* ring = ring_.load(std::memory_order_relaxed);
    if (back - front >= ring->size) ring = grow(front, back);
    ring->at(back).store(task, std::memory_order_relaxed);
    back_.store(back + 1, std::memory_order_release);
  }
  /// The task that the owner has pushed last, or none.
  Task* pop_back() {
    const std::int64_t back = back_.load(std::memory_order_relaxed) - 1;
    if (front_.load(std::memory_order_relaxed) > back) return nullptr;
    Ring* const ring = ring_.load(std::memory_order_relaxed);
    back_.store(back, std::memory_order_release);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    std::int64_t front = front_.load(std::memory_order_relaxed);
    if (front > back) {
      back_.store(back + 1, std::memory_order_release);
      return nullptr;
    }
    Task* task = ring->at(back).load(std::memory_order_relaxed);
    if (front == back) {
      // The last one: a thief may want it, too.
      if (!front_.compare_exchange_strong(front, front + 1, std::memory_order_seq_cst,
                                          std::memory_order_relaxed))
        task = nullptr;
      back_.store(back + 1, std::memory_order_release);
    }
    return task;
  }
  /// The oldest task; none where there is none or another one was faster. For any thread.
  Task* take_front() {
    std::int64_t front = front_.load(std::memory_order_acquire);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (front >= back_.load(std::memory_order_acquire)) return nullptr;
    Task* const task = ring_.load(std::memory_order_acquire)->at(front).load(std::memory_order_relaxed);
    if (!front_.compare_exchange_strong(front, front + 1, std::memory_order_seq_cst,
                                        std::memory_order_relaxed))
      return nullptr;
    return task;
  }
  [[nodiscard]] bool is_empty() const {
    return front_.load(std::memory_order_acquire) >= back_.load(std::memory_order_acquire);
  }

  [[nodiscard]] std::int64_t front() const { return front_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::int64_t back() const { return back_.load(std::memory_order_relaxed); }
  /// The task at a position, or nullptr where it was taken out of turn.
  [[nodiscard]] Task* alone_at(std::int64_t position) const {
    return ring_.load(std::memory_order_relaxed)->at(position).load(std::memory_order_relaxed);
  }
  void alone_clear(std::int64_t position) {
    ring_.load(std::memory_order_relaxed)->at(position).store(nullptr, std::memory_order_relaxed);
  }
  /// Drops cleared positions at the back, down to this one.
  void alone_trim(std::int64_t lowest) {
    std::int64_t back = back_.load(std::memory_order_relaxed);
    while (back > lowest && back > front() && alone_at(back - 1) == nullptr) --back;
    back_.store(back, std::memory_order_relaxed);
  }
  /// Exchanges the task at the front for another one.
  void alone_bring_to_front(std::int64_t position) {
    Ring* const ring = ring_.load(std::memory_order_relaxed);
    Task* const first = ring->at(front()).load(std::memory_order_relaxed);
    ring->at(front()).store(alone_at(position), std::memory_order_relaxed);
    ring->at(position).store(first, std::memory_order_relaxed);
  }
  Task* alone_pop_front() {
    const std::int64_t back = back_.load(std::memory_order_relaxed);
    std::int64_t front = front_.load(std::memory_order_relaxed);
    Task* task = nullptr;
    while (front < back && task == nullptr) task = alone_at(front++);
    front_.store(front, std::memory_order_relaxed);
    return task;
  }

 private:
  struct Ring {
    explicit Ring(std::int64_t capacity)
        : size(capacity), tasks(std::make_unique<std::atomic<Task*>[]>(static_cast<std::size_t>(capacity))) {}
    std::atomic<Task*>& at(std::int64_t position) const {
      return tasks[static_cast<std::size_t>(position & (size - 1))];
    }
    std::int64_t size;
    std::unique_ptr<std::atomic<Task*>[]> tasks;
  };

  Ring* grow(std::int64_t front, std::int64_t back) {
    const Ring* const old = ring_.load(std::memory_order_relaxed);
    rings_.push_back(std::make_unique<Ring>(old == nullptr ? 256 : 2 * old->size));
    Ring* const made = rings_.back().get();
    for (std::int64_t i = front; i < back; ++i)
      made->at(i).store(old->at(i).load(std::memory_order_relaxed), std::memory_order_relaxed);
    ring_.store(made, std::memory_order_release);
    return made;
  }

  alignas(64) std::atomic<std::int64_t> front_{0};
  alignas(64) std::atomic<std::int64_t> back_{0};
  std::atomic<Ring*> ring_{nullptr};
  std::vector<std::unique_ptr<Ring>> rings_;
};

}  // namespace takt::tasking::detail
