#pragma once
/// Waiting that answers within microseconds where the other side is at work, and leaves the core to others
/// where it is not.

#include <algorithm>
#include <cstdint>

#include <sched.h>

#include "core/system/clock.hpp"
#include "pipeline/runtime/sources/arrivals.hpp"

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
  /// Whether ranks share cores.
  bool is_oversubscribed = false;
  /// How long to look again and again before sleeping: about as long as it takes to fall asleep and be woken,
  /// where a rank has its core to itself; hardly at all where ranks share cores.
  static constexpr std::int64_t spin_ns = 17'000, oversubscribed_spin_ns = 3'000;
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

/// How long a rank looks for another one's message before it sleeps, from what it has lived through.
///
/// A virtual core that sleeps can take 20 to 150 us to be woken, longer than two ranks with short frames need
/// to fill or empty the ring between them. Should both sleep, each in the other's waking, then they go on
/// like this, at a fraction of their rate. So a rank whose waits are short looks for longer, for as long as
/// it has worked for it: twice the time that it worked, so that a rank with little to do costs little.
class Patience {
 public:
  explicit Patience(const WaitPolicy& policy) : policy_(policy) {}

  /// How long a wait that begins at this moment (now_ns) may look before it sleeps.
  [[nodiscard]] std::int64_t begin(std::int64_t now) {
    if (policy_.is_oversubscribed) return WaitPolicy::oversubscribed_spin_ns;
    if (last_end_ != 0) earned_ = std::min(earned_ + work_factor * (now - last_end_), longest);
    start_ = now;
    return was_short_ ? std::max(earned_, WaitPolicy::spin_ns) : WaitPolicy::spin_ns;
  }
  /// The wait ends at this moment.
  void end(std::int64_t now) {
    const std::int64_t waited = now - start_;
    was_short_ = waited < longest;
    earned_ = std::max<std::int64_t>(earned_ - waited, 0);
    last_end_ = now;
  }

 private:
  static constexpr std::int64_t work_factor = 2;
  /// Longer than most cores take to be woken.
  static constexpr std::int64_t longest = 200'000;

  const WaitPolicy& policy_;
  std::int64_t start_ = 0;
  std::int64_t last_end_ = 0;
  std::int64_t earned_ = 0;
  bool was_short_ = false;
};

/// One wait: call `pause` between two looks until there is what one waits for.
class Wait {
 public:
  /// Looks for `spin_ns` from `start` on before it sleeps, and when what it waits for should come by what
  /// is known of `arrivals`.
  Wait(const WaitPolicy& policy, std::int64_t start, std::int64_t spin_ns, Arrivals* arrivals = nullptr)
      : policy_(policy), start_(start), spin_ns_(spin_ns), arrivals_(arrivals) {
    if (arrivals == nullptr || policy.is_oversubscribed) return;
    window_ = arrivals->next();
    if (window_.begin > start + spin_ns) spin_ns_ = 0;
  }
  Wait(const WaitPolicy& policy, std::int64_t start)
      : Wait(policy, start,
             policy.is_oversubscribed ? WaitPolicy::oversubscribed_spin_ns : WaitPolicy::spin_ns) {}

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
    is_spinning_ = waited < spin_ns_ || window_.contains(now);
    if (is_spinning_) return;
    if (policy_.naps && waited < (is_moving ? WaitPolicy::moving_ns : WaitPolicy::yielding_ns)) {
      ::sched_yield();
      return;
    }
    const std::int64_t latest = now + (policy_.naps ? nap_after(waited) : WaitPolicy::longest_sleep);
    if (now >= window_.begin) return sleep(latest);
    const std::int64_t alarm = Awakening::alarm(now, window_.begin);
    sleep(std::min(latest, alarm));
    if (alarm != window_.begin || latest < alarm) return;
    const std::int64_t woken = now_ns();
    if (woken >= alarm) arrivals_->awakening().woke(alarm, woken);
  }

  [[nodiscard]] static std::int64_t nap_after(std::int64_t waited) {
    return std::clamp(waited / 16, WaitPolicy::shortest_nap, WaitPolicy::longest_nap);
  }

 private:
  static constexpr unsigned looks_a_clock = 16;

  const WaitPolicy& policy_;
  std::int64_t start_;
  std::int64_t spin_ns_;
  Arrivals* arrivals_ = nullptr;
  Arrivals::Window window_;
  unsigned looks_ = 0;
  bool is_spinning_ = true;
};

}  // namespace takt::pipeline
