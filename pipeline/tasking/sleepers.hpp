#pragma once
/// Workers without work sleep; new work wakes one of them.

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "core/system/asymmetric_fence.hpp"

namespace takt::tasking::detail {

/// One worker's bed.
struct alignas(64) Sleeper {
  std::atomic<std::uint32_t> is_asleep{0};
};

/// Counts the sleepers, so that a push costs one load while no worker sleeps. A push and the last look of one
/// who goes to sleep are ordered by an asymmetric fence: at least one of the two sees the other.
class alignas(64) Sleepers {
 public:
  /// After work has been published: whether a worker sleeps.
  [[nodiscard]] bool any() const {
    fence_.light();
    return count_.load(std::memory_order_relaxed) != 0;
  }
  [[nodiscard]] std::size_t count() const {
    return static_cast<std::size_t>(count_.load(std::memory_order_seq_cst));
  }
  /// Wakes it, if it sleeps.
  bool wake(Sleeper& sleeper);
  /// Sleeps until woken, unless `has_reason_to_stay_awake()`.
  template <class Reason>
  void sleep(Sleeper& sleeper, const Reason& has_reason_to_stay_awake) {
    sleeper.is_asleep.store(1, std::memory_order_relaxed);
    count_.fetch_add(1, std::memory_order_seq_cst);
    fence_.heavy();
    if (has_reason_to_stay_awake()) {
      rise(sleeper);
      return;
    }
    rest(sleeper);
  }

 private:
  bool rise(Sleeper& sleeper);
  static void rest(Sleeper& sleeper);

  AsymmetricFence fence_;
  std::atomic<int> count_{0};
};

}  // namespace takt::tasking::detail
