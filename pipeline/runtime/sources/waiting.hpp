#pragma once
/// Waits that respond within microseconds if the other side is at work, and that leave the core to other
/// threads if it is not.

#include <algorithm>
#include <cstdint>

#include <sched.h>

#include "core/system/clock.hpp"
#include "pipeline/runtime/sources/arrivals.hpp"

namespace takt::pipeline {

/// Hints to the core that its thread spins.
inline void spin_pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Policy for the waits of a rank.
struct WaitPolicy {
  /// True if ranks share cores.
  bool is_oversubscribed = false;
  /// Time to poll before sleeping: about as long as falling asleep and waking up take on a core of its own,
  /// and much shorter on an oversubscribed one.
  static constexpr std::int64_t spin_ns = 17'000, oversubscribed_spin_ns = 3'000;
  /// MPI messages wake no rank. A rank that needs them first yields its core between two polls; later it
  /// sleeps for a sixteenth of the time that it has waited, within limits.
  bool naps = false;
  static constexpr std::int64_t yielding_ns = 200'000;
  /// Time to yield while a message is under way: it moves only while its ranks poll.
  static constexpr std::int64_t moving_ns = 20'000'000;
  static constexpr std::int64_t shortest_nap = 50'000, longest_nap = 1'000'000;
  /// Upper bound of each sleep, to notice other events.
  static constexpr std::int64_t longest_sleep = 100'000'000;
};

/// How long a rank polls for another rank's message before it sleeps, chosen from its earlier waits.
///
/// A sleeping virtual core can take 20 to 150 us to wake up. Two ranks with short frames fill or drain the
/// ring between them in less. Once each rank sleeps while the other one wakes up, they continue like this, at
/// a fraction of their rate. So a rank with short waits polls for longer: for up to twice the time that it
/// has worked. A rank with little work then costs little CPU time.
class Patience {
 public:
  explicit Patience(const WaitPolicy& policy) : policy_(policy) {}

  /// Returns how long a wait that begins at this moment (now_ns) may poll before it sleeps.
  [[nodiscard]] std::int64_t begin(std::int64_t now) {
    if (policy_.is_oversubscribed) return WaitPolicy::oversubscribed_spin_ns;
    if (last_end_ != 0) earned_ = std::min(earned_ + work_factor * (now - last_end_), longest);
    start_ = now;
    return was_short_ ? std::max(earned_, WaitPolicy::spin_ns) : WaitPolicy::spin_ns;
  }
  /// Ends the wait at this moment.
  void end(std::int64_t now) {
    const std::int64_t waited = now - start_;
    was_short_ = waited < longest;
    earned_ = std::max<std::int64_t>(earned_ - waited, 0);
    last_end_ = now;
  }

 private:
  static constexpr std::int64_t work_factor = 2;
  /// Longer than most cores take to wake up.
  static constexpr std::int64_t longest = 200'000;

  const WaitPolicy& policy_;
  std::int64_t start_ = 0;
  std::int64_t last_end_ = 0;
  std::int64_t earned_ = 0;
  bool was_short_ = false;
};

/// One wait: call `pause` between two polls until the event has occurred.
class Wait {
 public:
  /// Polls for `spin_ns` from `start` on before it sleeps, and at the moment that `arrivals` predicts
  /// for the message.
  Wait(const WaitPolicy& policy, std::int64_t start, std::int64_t spin_ns, Arrivals* arrivals = nullptr)
      : policy_(policy), start_(start), spin_ns_(spin_ns), arrivals_(arrivals) {
    if (arrivals == nullptr || policy.is_oversubscribed) return;
    window_ = arrivals->next();
    if (window_.begin > start + spin_ns) spin_ns_ = 0;
  }
  Wait(const WaitPolicy& policy, std::int64_t start)
      : Wait(policy, start,
             policy.is_oversubscribed ? WaitPolicy::oversubscribed_spin_ns : WaitPolicy::spin_ns) {}

  /// `sleep(latest_ns)` sleeps until the event or that moment. `is_moving`: whether an MPI message is under
  /// way.
  template <class Sleep>
  void pause(bool is_moving, Sleep sleep) {
    if (is_spinning_ && ++looks_ % looks_per_clock != 0) {
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
  static constexpr unsigned looks_per_clock = 16;

  const WaitPolicy& policy_;
  std::int64_t start_;
  std::int64_t spin_ns_;
  Arrivals* arrivals_ = nullptr;
  Arrivals::Window window_;
  unsigned looks_ = 0;
  bool is_spinning_ = true;
};

}  // namespace takt::pipeline
