#pragma once
/// A lock for tens of nanoseconds.

#include <atomic>

#include "pipeline/tasking/pause.hpp"

namespace takt::tasking::detail {

/// Waits give up the processor now and then, because the holder may have lost its own.
class SpinLock {
 public:
  bool try_lock() {
    return !is_held_.load(std::memory_order_relaxed) && !is_held_.exchange(true, std::memory_order_acquire);
  }
  void lock() {
    while (!try_lock()) pause_or_yield();
  }
  void unlock() { is_held_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> is_held_{false};
};

}  // namespace takt::tasking::detail
