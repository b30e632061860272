#include "pipeline/tasking/ready_queue.hpp"

#include <algorithm>

#include "pipeline/tasking/pause.hpp"

namespace takt::tasking::detail {

void ReadyQueue::wait_outside() {
  while (request_.load(std::memory_order_acquire) == Request::stay_out) pause_or_yield();
}

/// Of the owner, inside. A thief that has the lock may wait for the owner to leave: it is not waited for.
void ReadyQueue::share_half() {
  const std::int64_t own = back_.load(std::memory_order_relaxed) - own_begin_;
  if (own == 0 || !lock_.try_lock()) return;
  own_begin_ += (own + 1) / 2;
  shared_end_.store(own_begin_, std::memory_order_release);
  Request asked = Request::share;
  request_.compare_exchange_strong(asked, Request::none, std::memory_order_relaxed);
  lock_.unlock();
}

/// Of the owner, outside: with the lock, no thief locks it out.
void ReadyQueue::share_all() {
  const std::lock_guard lock(lock_);
  own_begin_ = back_.load(std::memory_order_relaxed);
  shared_end_.store(own_begin_, std::memory_order_release);
}

/// The owner takes half back.
Task* ReadyQueue::pop_shared_back() {
  if (!has_shared()) return nullptr;
  const std::lock_guard lock(lock_);
  const std::int64_t end = shared_end_.load(std::memory_order_relaxed);
  const std::int64_t shared = end - front_.load(std::memory_order_relaxed);
  if (shared == 0) return nullptr;
  own_begin_ = end - (shares_always_ ? 1 : (shared + 1) / 2);
  shared_end_.store(own_begin_, std::memory_order_relaxed);
  const std::int64_t last = end - 1;
  back_.store(last, std::memory_order_release);
  return slot(last);
}

/// For how many tasks there is room.
std::int64_t ReadyQueue::room() {
  front_seen_ = front_.load(std::memory_order_acquire);
  return size_ - (back() - front_seen_);
}

void ReadyQueue::make_room() {
  if (room() > 0) return;
  const std::lock_guard lock(lock_);
  grow();
}

void ReadyQueue::grow() {
  const std::int64_t size = size_ == 0 ? 256 : 2 * size_;
  auto made = std::make_unique<Task*[]>(static_cast<std::size_t>(size));
  for (std::int64_t i = front_seen_; i < back(); ++i)
    made[static_cast<std::size_t>(i & (size - 1))] = slot(i);
  size_ = size;
  slots_ = std::move(made);
}

void ReadyQueue::ask() {
  Request none = Request::none;
  if (request_.load(std::memory_order_relaxed) == none)
    request_.compare_exchange_strong(none, Request::share, std::memory_order_relaxed);
}

/// Of a thief that has the lock.
void ReadyQueue::share_without_owner() {
  request_.store(Request::stay_out, std::memory_order_relaxed);
  fence_.heavy();
  while (is_inside_.load(std::memory_order_acquire)) pause_or_yield();
  own_begin_ = back_.load(std::memory_order_relaxed);
  shared_end_.store(own_begin_, std::memory_order_relaxed);
  request_.store(Request::none, std::memory_order_release);
}

Task* ReadyQueue::steal(ReadyQueue& victim, ReadyQueue& thief) {
  if (!victim.has_shared()) {
    victim.ask();
    // As long as a heavy fence takes: at most twice what the better of the two costs.
    for (int i = 0; i < 400 && !victim.has_shared(); ++i) {
      if (victim.is_empty()) return nullptr;
      pause();
    }
  }
  if (!victim.lock_.try_lock()) return nullptr;
  const std::lock_guard lock(victim.lock_, std::adopt_lock);
  if (!victim.has_shared()) {
    if (victim.is_empty()) return nullptr;
    victim.share_without_owner();
  }
  const std::int64_t front = victim.front_.load(std::memory_order_relaxed);
  const std::int64_t shared = victim.shared_end_.load(std::memory_order_relaxed) - front;
  if (shared == 0) return nullptr;
  const std::int64_t more = victim.shares_always_ ? 0 : std::min((shared - 1) / 2, thief.room());
  Task* const oldest = victim.slot(front);
  for (std::int64_t i = 1; i <= more; ++i) {
    Task* const task = victim.slot(front + i);
    __builtin_prefetch(task);
    thief.push_back(task);
  }
  victim.front_.store(front + 1 + more, std::memory_order_release);
  if (1 + more == shared) victim.ask();
  return oldest;
}

}  // namespace takt::tasking::detail
