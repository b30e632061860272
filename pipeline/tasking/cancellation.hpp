#pragma once
/// A request to stop a set of tasks.

#include <atomic>

namespace takt::tasking {

/// Tasks that are spawned with it, and all their descendants, obey it. Guarantee: none of them starts after
/// `cancel` has returned (a start that another worker has begun counts as before); those that run go on until
/// they look at `is_cancelled`; all of them complete, so every wait returns. It outlives the tasks that obey
/// it.
class Cancellation {
 public:
  Cancellation() = default;
  /// Also cancelled when `outer` is.
  explicit Cancellation(const Cancellation* outer) : outer_(outer) {}
  Cancellation(const Cancellation&) = delete;
  Cancellation& operator=(const Cancellation&) = delete;

  void cancel() { is_cancelled_.store(true, std::memory_order_release); }
  [[nodiscard]] bool is_cancelled() const {
    for (const Cancellation* each = this; each != nullptr; each = each->outer_)
      if (each->is_cancelled_.load(std::memory_order_acquire)) return true;
    return false;
  }

 private:
  std::atomic<bool> is_cancelled_{false};
  const Cancellation* outer_ = nullptr;
};

}  // namespace takt::tasking
