#pragma once
/// Waiting that answers within microseconds where the other side is at work, and leaves the core to others
/// where it is not.

#include <algorithm>
#include <cstdint>

#include <sched.h>

#include "core/clock.hpp"

namespace takt::pipeline {

/// Tells the core that its thread spins.
inline void spin_pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// How a rank waits.
struct WaitPolicy {
  /// How long to look again and again before sleeping: as long as it takes to fall asleep and be woken, where
  /// a rank has its core to itself; hardly at all where ranks share cores.
  std::int64_t spin_ns = 17'000;
  static constexpr std::int64_t crowded_spin_ns = 3'000;
  /// Nobody wakes a rank for a message of MPI's: such a rank first leaves its core to others between two
  /// looks, then looks again after a sixteenth of the time that it has waited, within limits.
  bool naps = false;
  static constexpr std::int64_t yielding_ns = 200'000;
  /// So long while a message is under way: it moves only while its ranks look.
  static constexpr std::int64_t moving_ns = 20'000'000;
  static constexpr std::int64_t shortest_nap = 50'000, longest_nap = 1'000'000;
  /// Sleeping ends at least so often, for whatever else happens.
  static constexpr std::int64_t longest_sleep = 100'000'000;
};

/// One wait: call `pause` between two looks until there is what one waits for.
class Wait {
 public:
  Wait(const WaitPolicy& policy, std::int64_t start) : policy_(policy), start_(start) {}

  /// `sleep(latest_ns)` sleeps until the event or that moment. `is_moving` says whether a message of MPI's is
  /// under way.
  template <class Sleep>
  void pause(bool is_moving, Sleep sleep) {
    if (is_spinning_ && ++looks_ % looks_a_clock != 0) {
      spin_pause();
      return;
    }
    const std::int64_t now = now_ns();
    const std::int64_t waited = now - start_;
    is_spinning_ = waited < policy_.spin_ns;
    if (is_spinning_) return;
    if (policy_.naps && waited < (is_moving ? WaitPolicy::moving_ns : WaitPolicy::yielding_ns)) {
      ::sched_yield();
      return;
    }
    sleep(now + (policy_.naps ? nap_after(waited) : WaitPolicy::longest_sleep));
  }

  [[nodiscard]] static std::int64_t nap_after(std::int64_t waited) {
    return std::clamp(waited / 16, WaitPolicy::shortest_nap, WaitPolicy::longest_nap);
  }

 private:
  static constexpr unsigned looks_a_clock = 16;

  const WaitPolicy& policy_;
  std::int64_t start_;
  unsigned looks_ = 0;
  bool is_spinning_ = true;
};

}  // namespace takt::pipeline
