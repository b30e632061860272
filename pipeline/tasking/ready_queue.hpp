#pragma once
/// The ready tasks of one worker: the owner works at the back, thieves take from the front.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

#include "core/system/asymmetric_fence.hpp"
#include "pipeline/tasking/spin_lock.hpp"
#include "pipeline/tasking/task.hpp"

namespace takt::tasking::detail {

/// A deque in two parts, as in T. van Dijk and J. van de Pol, "Lace: non-blocking split deque for
/// work-stealing" (2014): the owner's part at the back, where it pushes and pops without fences and without
/// reading what others write, and a shared part at the front, under a lock. A thief that finds the shared
/// part empty asks, and the next push or pop of the owner shares half. When the owner does neither for as
/// long as a heavy fence takes, because it runs a long task, the thief locks it out (Dekker's algorithm with
/// an asymmetric fence) and shares all. So every task can be stolen at any time.
///
/// Functions named `alone_` are for pools of one worker.
class ReadyQueue {
 public:
  ReadyQueue() { grow(); }

  /// Everything that is pushed is shared at once: for pools in which the owner, too, takes the oldest.
  void share_always() { shares_always_ = true; }

  void push_back(Task* task) {
    const Request request = enter();
    const std::int64_t back = back_.load(std::memory_order_relaxed);
    if (back - front_seen_ >= size_) [[unlikely]] {
      leave();
      make_room();
      push_back(task);
      return;
    }
    slot(back) = task;
    back_.store(back + 1, std::memory_order_release);
    if (request != Request::none) [[unlikely]]
      share_half();
    leave();
    if (shares_always_) share_all();
  }
  /// The task that the owner has pushed last, or none.
  Task* pop_back() {
    const Request request = enter();
    const std::int64_t last = back_.load(std::memory_order_relaxed) - 1;
    if (last < own_begin_) {
      leave();
      return pop_shared_back();
    }
    Task* const task = slot(last);
    back_.store(last, std::memory_order_release);
    if (request != Request::none) [[unlikely]]
      share_half();
    leave();
    return task;
  }
  /// The oldest shared task; none where there is none. For any thread.
  Task* take_front() {
    const std::lock_guard lock(lock_);
    const std::int64_t front = front_.load(std::memory_order_relaxed);
    if (front >= shared_end_.load(std::memory_order_relaxed)) return nullptr;
    Task* const task = slot(front);
    front_.store(front + 1, std::memory_order_release);
    return task;
  }
  /// Moves the older half of the shared tasks, as far as the thief has room, to the back of the thief's
  /// queue, but for the oldest one, which it returns. None where there is none, or another thief is at it. A
  /// thief found nothing: the next task that is pushed is shared.
  void ask();
  static Task* steal(ReadyQueue& victim, ReadyQueue& thief);

  /// Both are estimates while others push and take.
  [[nodiscard]] bool is_empty() const { return size() <= 0; }
  [[nodiscard]] std::int64_t size() const {
    return back_.load(std::memory_order_acquire) - front_.load(std::memory_order_acquire);
  }
  [[nodiscard]] std::int64_t back() const { return back_.load(std::memory_order_relaxed); }

  [[nodiscard]] std::int64_t alone_front() const { return front_.load(std::memory_order_relaxed); }
  /// The task at a position, or nullptr where it was taken out of turn.
  [[nodiscard]] Task* alone_at(std::int64_t position) const { return slot(position); }
  void alone_clear(std::int64_t position) { slot(position) = nullptr; }
  /// Drops cleared positions at the back, down to this one.
  void alone_trim(std::int64_t lowest) {
    std::int64_t last = back();
    while (last > lowest && last > alone_front() && slot(last - 1) == nullptr) --last;
    back_.store(last, std::memory_order_relaxed);
  }
  /// Exchanges the task at the front for another one.
  void alone_bring_to_front(std::int64_t position) { std::swap(slot(alone_front()), slot(position)); }
  Task* alone_pop_back() {
    const std::int64_t last = back() - 1;
    if (last < alone_front()) return nullptr;
    back_.store(last, std::memory_order_relaxed);
    return slot(last);
  }
  void alone_push_back(Task* task) {
    const std::int64_t last = back();
    if (last - front_seen_ >= size_) [[unlikely]]
      make_room();
    slot(last) = task;
    back_.store(last + 1, std::memory_order_relaxed);
  }
  Task* alone_pop_front() {
    const std::int64_t end = back();
    std::int64_t front = alone_front();
    Task* task = nullptr;
    while (front < end && task == nullptr) task = slot(front++);
    front_.store(front, std::memory_order_relaxed);
    return task;
  }

  /// Of the owner: shares everything.
  void share_all();

 private:
  enum class Request : std::uint32_t { none, share, stay_out };

  [[nodiscard]] Task*& slot(std::int64_t position) const {
    return slots_[static_cast<std::size_t>(position & (size_ - 1))];
  }
  /// Begins a push or pop of the owner.
  Request enter() {
    for (;;) {
      is_inside_.store(true, std::memory_order_relaxed);
      fence_.light();
      const Request request = request_.load(std::memory_order_acquire);
      if (request != Request::stay_out) [[likely]]
        return request;
      leave();
      wait_outside();
    }
  }
  void leave() { is_inside_.store(false, std::memory_order_release); }
  void wait_outside();
  void share_half();
  Task* pop_shared_back();
  std::int64_t room();
  void make_room();
  void grow();
  [[nodiscard]] bool has_shared() const {
    return front_.load(std::memory_order_relaxed) < shared_end_.load(std::memory_order_acquire);
  }
  void share_without_owner();

  // Of the owner; thieves read the back alone, but for one who has locked the owner out.
  alignas(64) std::atomic<std::int64_t> back_{0};
  std::atomic<bool> is_inside_{false};
  bool shares_always_ = false;
  std::int64_t own_begin_ = 0;
  /// The front when the owner looked last.
  std::int64_t front_seen_ = 0;
  std::int64_t size_ = 0;
  std::unique_ptr<Task*[]> slots_;
  // Written when a thief asks.
  alignas(64) std::atomic<Request> request_{Request::none};
  AsymmetricFence fence_;
  // Written with the lock.
  alignas(64) SpinLock lock_;
  std::atomic<std::int64_t> front_{0};
  std::atomic<std::int64_t> shared_end_{0};
};

}  // namespace takt::tasking::detail
