#pragma once
/// Ready tasks with a priority or a worker of their own.

#include <atomic>
#include <cstddef>
#include <functional>
#include <map>
#include <mutex>

#include "pipeline/tasking/task.hpp"

namespace takt::tasking::detail {

/// The highest priority first, and in the order of arrival within one. Any thread may use it.
class SideQueue {
 public:
  void put(Task* task, int priority) {
    const std::lock_guard lock(mutex_);
    tasks_.emplace(priority, task);
    count_.fetch_add(1, std::memory_order_release);
  }
  /// Returns nullptr if the queue is empty.
  Task* take() {
    const std::lock_guard lock(mutex_);
    if (tasks_.empty()) return nullptr;
    Task* const task = tasks_.begin()->second;
    tasks_.erase(tasks_.begin());
    count_.fetch_sub(1, std::memory_order_relaxed);
    return task;
  }
  [[nodiscard]] bool is_empty() const { return count_.load(std::memory_order_acquire) == 0; }

 private:
  std::mutex mutex_;
  std::multimap<int, Task*, std::greater<>> tasks_;
  std::atomic<std::size_t> count_{0};
};

}  // namespace takt::tasking::detail
