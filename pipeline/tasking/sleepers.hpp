#pragma once
/// Workers without work sleep; new work wakes one of them.

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <sched.h>
#include <sys/types.h>

#include "core/system/asymmetric_fence.hpp"

namespace takt::tasking::detail {

/// One worker's bed.
struct alignas(64) Sleeper {
  enum : std::uint32_t { awake, asleep, waking };
  std::atomic<std::uint32_t> state{awake};
  /// A thread of the pool, which may be moved; 0: the caller's thread.
  pid_t thread = 0;
  /// Processors on which the thread may run; while it wakes, without that of the thread that wakes it.
  cpu_set_t allowed{};
  bool is_kept_away = false;
  /// Processor on which it woke last.
  int woke_on = -1;
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
  /// Wakes it, if it sleeps, on another processor than the caller's. Linux (6.18) places a woken thread on
  /// the processor of the thread that wakes it, and leaves both there for up to 3 ms although another one is
  /// idle.
  bool wake(Sleeper& sleeper);
  /// Sleeps until woken, unless `has_reason_to_stay_awake()`.
  template <class Reason>
  void sleep(Sleeper& sleeper, const Reason& has_reason_to_stay_awake) {
    prepare(sleeper);
    sleeper.state.store(Sleeper::asleep, std::memory_order_release);
    count_.fetch_add(1, std::memory_order_seq_cst);
    fence_.heavy();
    if (has_reason_to_stay_awake() && begin_to_wake(sleeper))
      sleeper.state.store(Sleeper::awake, std::memory_order_relaxed);
    else
      rest(sleeper);
  }

 private:
  /// Returns whether the caller is the one that wakes it.
  bool begin_to_wake(Sleeper& sleeper);
  static void rest(Sleeper& sleeper);
  static void prepare(Sleeper& sleeper);

  AsymmetricFence fence_;
  std::atomic<int> count_{0};
};

}  // namespace takt::tasking::detail
