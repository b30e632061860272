/// A worker's search for tasks: its own, those of other workers, and sleep without any.

#include <algorithm>
#include <chrono>
#include <thread>

#include "pipeline/tasking/pause.hpp"
#include "pipeline/tasking/worker.hpp"

namespace takt::tasking::detail {

namespace {

/// Least time between two thefts of one worker: shorter tasks cost their owner more in cache lines than the
/// thief saves.
constexpr std::chrono::microseconds least_pause{1};
/// Number of searches for work before a worker sleeps, a microsecond each.
constexpr int most_looks = 50;

}  // namespace

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

/// When all workers sleep, none is left that could make a task ready.
bool Worker::may_not_sleep() {
  if (has_reason_to_stay_awake()) return true;
  if (team_.sleepers.count() != team_.workers.size() || team_.is_finished.load() || team_.is_stopping.load())
    return false;
  if (!is_within_limit()) {
    // This worker may not take tasks: it wakes one that may.
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

}  // namespace takt::tasking::detail
